import { again, next, type Outcome } from "@capstan/runtime";
import { type InstanceAction, instanceActions } from "@capstan/azure";
import type { PoolAction } from "@capstan/plan";
import { startOnInstances } from "./operations.ts";
import { isResizedMeanwhile, mayBeResized } from "../observation/external-size.ts";
import type { NormalScope } from "../scope.ts";

type Start = Extract<PoolAction, { action: "StartInstanceOperation" }>;

const ARM_ACTIONS: Readonly<Record<Start["detail"]["operation"], InstanceAction>> = {
  delete: "delete",
  upgrade: "manualupgrade",
  reimage: "reimage",
};

/** Starts operations on instances, one request for each. */
export async function startInstanceOperations(
  scope: NormalScope,
  actions: readonly Start[],
): Promise<Outcome> {
  const waits: number[] = [];
  for (const { detail } of actions) {
    const [desired] = instanceActions(
      scope.azureTarget.scaleSetID,
      ARM_ACTIONS[detail.operation],
      detail.instanceIDs,
    );
    if (!desired) continue;
    if (detail.operation === "delete" && mayBeResized(scope) && (await isResizedMeanwhile(scope))) {
      waits.push(0);
      break;
    }
    noteReimages(scope, detail);
    waits.push(await startOnInstances(scope, desired));
  }
  return waits.length === 0 ? next : again(Math.min(...waits), "OperationRunning");
}

/** Records together with the intent which instances are re-imaged afterwards. */
function noteReimages(
  { pool }: NormalScope,
  { instanceIDs: ids, isReimagedNext = false }: Start["detail"],
): void {
  const { instancesToReimage = [], ...rest } = pool.status ?? {};
  const others = instancesToReimage.filter((id) => !ids.includes(id));
  const all = isReimagedNext ? [...others, ...ids] : others;
  pool.status = all.length > 0 ? { ...rest, instancesToReimage: all } : rest;
}
