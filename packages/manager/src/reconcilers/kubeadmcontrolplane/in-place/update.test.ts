import { controllerReferenceTo, UPDATE_IN_PROGRESS_ANNOTATION } from "@capstan/api";
import { kubeadmControlPlane, machine } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { requireNoOtherUpdate } from "./update.ts";

type Parts = Parameters<typeof requireNoOtherUpdate>[0];

const controlPlane = kubeadmControlPlane({ metadata: { name: "cp", namespace: "default", uid: "u1" } });
const owned = { ownerReferences: [controllerReferenceTo(controlPlane)] };
const annotations = { [UPDATE_IN_PROGRESS_ANNOTATION]: "key" };

/** Asks whether m1 may be updated while the server, whatever the cache shows, also has m2. */
function ask(metadata: object, status: object = {}): Promise<void> {
  const machines = [
    machine({ metadata: { ...owned, name: "m1", annotations } }),
    machine({ metadata: { ...owned, name: "m2", ...metadata }, status }),
  ];
  const client = { list: () => Promise.resolve(machines) };
  return requireNoOtherUpdate({ context: { client }, controlPlane } as unknown as Parts, "m1");
}

describe("an update of a machine in place", () => {
  test.each<[string, object]>([
    ["is updated, too", { annotations }],
    ["is being deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ])("does not begin while another machine %s, which the cache does not show yet", async (_, metadata) => {
    await expect(ask(metadata)).rejects.toMatchObject({
      reason: "WaitingForCache",
      message: "Machine m2 is being changed, and the cache does not show it yet",
    });
  });

  test("begins beside a machine at rest, one whose update failed, and one of another owner", async () => {
    await ask({});
    await ask({ annotations }, { update: { state: "Failed", specHash: "", since: "2026-01-01T00:00:00Z" } });
    await ask({ annotations, ownerReferences: [{ ...controllerReferenceTo(controlPlane), uid: "u2" }] });
  });
});
