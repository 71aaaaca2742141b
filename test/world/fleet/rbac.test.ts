import { AzureMachinePoolMachine, type CustomKind, MachineHealthCheck } from "@capstan/api";
import { CONTROLLERS, type PolicyRule } from "@capstan/manager";
import { type Call, rehearse, type Rehearsal } from "@capstan/sim";
import { expect, test } from "vitest";
import { rehearsalOf, STORIES } from "../machinepools/stories.ts";
import { lifeOf, LIVES } from "./life.ts";
import { recorded } from "./recorded.ts";
import { tour } from "./rights.ts";

/** The permissions of a manager itself, not of a controller: `capstan init` grants them to each manager. */
const OWN: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
  { apiGroups: [""], resources: ["events"], verbs: ["get", "create", "patch"] },
  { apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
];

function grantedBy(rules: readonly PolicyRule[]): readonly string[] {
  return rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((one) => verbs.map((verb) => `${verb} ${one}`)),
  );
}

function textOf({ verb, resource, subresource }: Call): string {
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].toSorted();

/** A story with objects of a kind in it. */
function rehearsalWith(kind: CustomKind): Rehearsal {
  if (kind === AzureMachinePoolMachine) return rehearsalOf("delete one machine", "2");
  if (kind === MachineHealthCheck) return tour("2");
  return lifeOf({ seed: "2", place: "own group", until: "deleted" });
}

/** All requests of managers to the management cluster, over all variants of the story. */
async function usedIn(): Promise<readonly Call[]> {
  const { calls, invariant } = recorded();
  const reported = async (
    rehearsal: Rehearsal,
    faults: Parameters<typeof rehearse>[1] = [],
  ): Promise<void> => {
    const { failure } = await rehearse(
      { ...rehearsal, world: { ...rehearsal.world, invariants: [invariant] } },
      faults,
    );
    expect(failure).toBeUndefined();
  };
  for (const life of LIVES) await reported(lifeOf({ seed: "1", ...life }));
  await reported(lifeOf({ seed: "1", place: "own group", until: "deleted", world: { managers: 2 } }));
  await reported(tour("1"));
  for (const story of Object.keys(STORIES)) await reported(rehearsalOf(story, "1"));
  // A controller that finds a changed status reads the object again.
  for (const { kind } of CONTROLLERS) {
    const conflict = {
      fault: "kube-conflict",
      when: { trigger: { resource: kind.plural, probability: 0.4 } },
    };
    await reported(rehearsalWith(kind), [conflict]);
  }
  return calls.filter(({ server }) => server === "management");
}

test("managers use exactly the permissions that their controllers declare", async () => {
  const used = await usedIn();
  const isOwn = ({ resource }: Call): boolean => OWN.some(({ resources }) => resources.includes(resource));
  const granted = CONTROLLERS.flatMap(({ rbac }) => grantedBy(rbac));
  expect(sorted(used.filter((call) => !isOwn(call)).map(textOf))).toEqual(sorted(granted));
  const own = new Set(grantedBy(OWN));
  expect(sorted(used.filter(isOwn).map(textOf)).filter((text) => !own.has(text))).toEqual([]);
  // A controller must declare the permissions of its own requests itself, even if another controller has them.
  for (const { name, rbac } of CONTROLLERS) {
    const declared = new Set(grantedBy(rbac));
    const texts = used.filter((call) => call.by === name && !isOwn(call)).map(textOf);
    expect(
      sorted(texts).filter((text) => !declared.has(text)),
      name,
    ).toEqual([]);
  }
});
