import { type FaultSpec, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { numbersFrom, repetitions, spreadOver } from "../../sample.ts";
import { STORM } from "../kit/api-server-faults.ts";
import { lifeOf } from "./life.ts";

const TROUBLE: readonly [string, FaultSpec["when"]][] = [
  ["arm-unavailable", { trigger: { probability: 0.1 } }],
  ["arm-timeout-applied", { trigger: { probability: 0.1 } }],
  ["arm-throttled", { trigger: { probability: 0.1 } }],
  ["kube-conflict", { trigger: { probability: 0.2 } }],
  ["forward-broken", { trigger: { probability: 0.3 } }],
  ["crash-after-write", { trigger: { probability: 0.01 } }],
  ["crash-before-write", { trigger: { probability: 0.01 } }],
];

const BROKEN_FORWARDS: FaultSpec = { fault: "forward-broken", when: { trigger: { probability: 0.1 } } };

test.each(spreadOver("trouble of control planes", TROUBLE, 2))(
  "a control plane is created, upgraded, repaired and scaled although there is trouble: %s",
  async (fault, when) => {
    const life = lifeOf({ seed: "3", until: "scaled" });
    const run = await rehearse(life, [{ fault, when }]);
    expect(run.failure).toBeUndefined();
    expect(run.end).toMatchObject({
      replicas: [1, 1, 1, "v1.34.1"],
      members: [false],
      azure: [1, 1, 1],
      configs: 1,
      isServing: true,
    });
  },
);

// The invariants of the world hold meanwhile: one change of etcd at a time, and its quorum is kept.
test.each(numbersFrom(11, repetitions("storms over a control plane", 1, 40)))(
  "a control plane is created and upgraded in a storm of all faults of API servers, seed %i",
  async (seed) => {
    const life = lifeOf({ seed: String(seed), until: "upgraded" });
    const calm = await rehearse(life);
    const stormy = await rehearse(life, [...STORM, BROKEN_FORWARDS]);
    expect(stormy.failure).toBeUndefined();
    expect(stormy.end).toEqual(calm.end);
  },
);
