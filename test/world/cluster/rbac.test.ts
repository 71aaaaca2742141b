import type { PolicyRule } from "@capstan/manager";
import { clusterRbac } from "../../../packages/manager/src/reconcilers/cluster/rbac.ts";
import { machinePoolRbac } from "../../../packages/manager/src/reconcilers/machinepool/rbac.ts";
import { rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { recorded } from "../kit/cluster-world.ts";
import { life } from "./life.ts";

const textsOf = (rules: readonly PolicyRule[]): Set<string> =>
  new Set(
    rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((one) => verbs.map((verb) => `${verb} ${one}`)),
    ),
  );

test.each([
  ["cluster", clusterRbac],
  ["machinepool", machinePoolRbac],
])(
  "the reconciler %s uses only its declared permissions in the management cluster",
  async (controller, rules) => {
    const { calls, invariant } = recorded();
    const { world, story } = life("1");
    const { failure } = await rehearse({ world: { ...world, invariants: [invariant] }, story });
    expect(failure).toBeUndefined();
    const used = calls
      .filter(({ by, server }) => by === controller && server === "management")
      .map(
        ({ verb, resource, subresource }) =>
          `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`,
      );
    expect(used.length).toBeGreaterThan(5);
    const granted = textsOf(rules);
    expect([...new Set(used)].filter((text) => !granted.has(text))).toEqual([]);
  },
);
