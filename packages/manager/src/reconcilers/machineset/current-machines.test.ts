import {
  controllerReferenceTo,
  DELETE_MACHINE_ANNOTATION,
  HANDS_OVER_MACHINES_ANNOTATION,
  type Machine,
  RECEIVES_MACHINES_ANNOTATION,
} from "@capstan/api";
import { machine, machineDeployment, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { requireCurrentMachines, requireCurrentSet } from "./current-machines.ts";
import type { Scope } from "./scope.ts";

const set = machineSet({ metadata: { name: "ms", uid: "u1" }, spec: { replicas: 2 } });
const inPlace = machineDeployment({ spec: { rollout: { strategy: { type: "InPlace" } } } });
const own = (name: string): Machine =>
  machine({ metadata: { name, uid: name, ownerReferences: [controllerReferenceTo(set)] } });
const marked = (name: string): Machine =>
  machine(own(name), { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: "Spare" } } });
const strange = machine({
  metadata: { name: "m9", uid: "m9", ownerReferences: [{ ...controllerReferenceTo(set), uid: "u2" }] },
});

/** A pass over a set whose cache shows m1 and m2, and a server that has other machines or another set. */
function pass(server: { readonly machines?: readonly Machine[]; readonly set?: object }): Scope {
  const client = {
    list: () => Promise.resolve(server.machines ?? []),
    find: () => Promise.resolve(server.set),
  };
  return {
    context: { client },
    set,
    deployment: inPlace,
    machines: [own("m1"), own("m2")],
  } as unknown as Scope;
}

describe("a set of a deployment that updates in place", () => {
  test.each<[string, readonly Machine[]]>([
    ["a machine more", [own("m1"), own("m2"), own("m3")]],
    ["a machine less", [own("m1")]],
    ["another machine", [own("m1"), own("m3")]],
    ["a mark of the machine to delete first", [marked("m1"), own("m2")]],
    ["a machine that another set controls by now", [own("m1"), strange]],
  ])("waits for its cache while the server has %s", async (_, machines) => {
    await expect(requireCurrentMachines(pass({ machines }))).rejects.toMatchObject({
      reason: "WaitingForCache",
    });
  });

  test("goes on when the server has the machines of its cache, and machines of other sets", async () => {
    await requireCurrentMachines(pass({ machines: [own("m2"), strange, own("m1")] }));
  });

  test.each<[string, object | undefined]>([
    ["another size", { ...set, spec: { ...set.spec, replicas: 3 } }],
    [
      "a machine to receive",
      { ...set, metadata: { ...set.metadata, annotations: { [RECEIVES_MACHINES_ANNOTATION]: "m3" } } },
    ],
    [
      "a machine to hand over",
      { ...set, metadata: { ...set.metadata, annotations: { [HANDS_OVER_MACHINES_ANNOTATION]: "m1" } } },
    ],
    ["no such set", undefined],
  ])("waits for its cache while the server has %s", async (_, live) => {
    await expect(requireCurrentSet(pass({ ...(live && { set: live }) }))).rejects.toMatchObject({
      reason: "WaitingForCache",
    });
  });

  test("goes on when the server has the same size and moves", async () => {
    await requireCurrentSet(pass({ set: machineSet({ metadata: { name: "ms" }, spec: { replicas: 2 } }) }));
  });
});
