import type { Frozen } from "@capstan/api";
import { block, deleteIfExists, forEachIndependently, keyOf, next, type Outcome } from "@capstan/runtime";
import { type OwnedObject, findOwned, remove } from "../../contract/removal.ts";
import { decideDeletion, type DeletionStep, type Descendant, DESCENDANTS } from "./decide-deletion.ts";
import { REFERENCES } from "./observe.ts";
import type { Scope } from "./scope.ts";

/** The name of the index over the cluster that an object belongs to. */
export const BY_CLUSTER = "spec.clusterName";

// Watches report deletions; this interval is for kinds without a watch.
const DELETION_POLL_MS = 10_000;

/** The reasons of the conditions while a deletion waits. */
export const WAITING_REASONS: Readonly<Record<DeletionStep["waitsFor"], string>> = {
  machinePools: "WaitingForMachinePoolsDeletion",
  machines: "WaitingForWorkersDeletion",
  controlPlane: "WaitingForControlPlaneDeletion",
  infrastructure: "WaitingForInfrastructureDeletion",
};

/** Deletes the cluster step by step. */
export async function deleteInOrder(scope: Scope): Promise<Outcome> {
  const { context, cluster, ports } = scope;
  const controlPlane = await find(scope, "controlPlane");
  const infrastructure = await find(scope, "infrastructure");
  const step = decideDeletion(cluster, {
    nowMs: context.env.clock.now(),
    descendants: descendantsOf(scope),
    ...(controlPlane && { controlPlane: controlPlane.target.text }),
    ...(infrastructure && { infrastructure: infrastructure.target.text }),
  });
  if (!step) {
    ports.workloads.drop({ name: cluster.metadata.name, namespace: cluster.metadata.namespace });
    return next;
  }
  scope.step = step;
  await forEachIndependently(step.remove, (object) => removeDescendant(scope, object));
  if (step.remove.length === 0 && step.waitsFor === "controlPlane")
    await remove(context.client, controlPlane);
  if (step.waitsFor === "infrastructure") await remove(context.client, infrastructure);
  return block(DELETION_POLL_MS, WAITING_REASONS[step.waitsFor]);
}

/** The referenced object, if the Cluster owns it. */
async function find(
  { context, cluster }: Scope,
  which: keyof typeof REFERENCES,
): Promise<OwnedObject | undefined> {
  const reference = cluster.spec[`${which}Ref`];
  const { namespace = "" } = cluster.metadata;
  return reference && findOwned(context, { reference, field: REFERENCES[which].field, namespace }, cluster);
}

function descendantsOf({ context, cluster }: Scope): Frozen<Descendant>[] {
  return DESCENDANTS.flatMap((kind) =>
    context.cache.list(kind, { index: BY_CLUSTER, value: keyOf(cluster) }),
  );
}

async function removeDescendant({ context }: Scope, { kind, metadata }: Frozen<Descendant>): Promise<void> {
  const served = DESCENDANTS.find((one) => one.kind === kind);
  if (served) await deleteIfExists(context.client, served, metadata);
}
