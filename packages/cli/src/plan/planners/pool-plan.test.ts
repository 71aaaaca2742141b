import { UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { machineObject, machinePoolObject, NOW, poolObject } from "./pool-objects.fixture.ts";
import type { PoolParts } from "./pool-parts.ts";
import { planFor } from "./pool-plan.ts";

const NOW_MS = Date.parse(NOW);
const SURGE = { metadata: { annotations: { "capstan.dev/surge": "" } } };
const ASKED = { metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: `v1-${"a".repeat(64)}` } } };
const DRAINED = {
  metadata: { deletionTimestamp: NOW },
  status: { conditions: [{ type: "Drained", status: "True" as const, lastTransitionTime: NOW }] },
};

function planned(parts: Partial<PoolParts>): readonly string[] {
  const whole: PoolParts = {
    pool: poolObject(),
    machinePool: machinePoolObject({ spec: { replicas: parts.machines?.length ?? 0 } }),
    rivals: [],
    machines: [],
    cluster: undefined,
    azureCluster: undefined,
    ...parts,
  };
  return planFor(whole, NOW_MS).plan.actions.map(({ action, targets }) => `${action} ${targets.join(" ")}`);
}

test("the instance of a drained machine is deleted", () => {
  const pool = poolObject({ status: { pickedForDeletion: ["pool-0"] } });
  const machines = [machineObject(0, "v1-new", DRAINED)];
  expect(planned({ pool, machines })).toContain("StartInstanceOperation pool-0");
});

test("an annotation of a user that asks for an update in place is reverted", () => {
  const machines = [machineObject(0, "v1-new"), machineObject(1, "v1-new", ASKED)];
  expect(planned({ machines })).toContain("RevertUpdateAnnotation pool-1");
  const pool = poolObject({ status: { pickedForUpdate: ["pool-1"] } });
  expect(planned({ pool, machines })).not.toContain("RevertUpdateAnnotation pool-1");
});

test("a surge machine that is not in excess becomes an ordinary one", () => {
  expect(planned({ machines: [machineObject(0, "v1-new", SURGE)] })).toEqual(["ClearSurge pool-0"]);
});

test("tags that the controller has not written yet are patched, if the AzureCluster is given", () => {
  const pool = poolObject({ spec: { additionalTags: { team: "blue" } } });
  const machines = [machineObject(0, "v1-new")];
  expect(planned({ pool, machines })).toEqual([]);
  const given = { cluster: cluster(), azureCluster: azureCluster() };
  const { plan } = planFor(
    { pool, machinePool: machinePoolObject({ spec: { replicas: 1 } }), rivals: [], machines, ...given },
    NOW_MS,
  );
  const hash = plan.actions.flatMap((one) => (one.action === "PutModel" ? [one.detail.hash] : []));
  const current = poolObject({
    spec: { additionalTags: { team: "blue" } },
    status: { modelHash: hash[0] ?? "" },
  });
  expect(planned({ pool: current, machines: [machineObject(0, hash[0] ?? "")], ...given })).toEqual([
    "PatchTags pool",
  ]);
});
