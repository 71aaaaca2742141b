import { block, next, type Outcome, terminal, waiting } from "@capstan/runtime";
import { failureOf, normalizedId, type DesiredChange } from "@capstan/azure";
import { setResourceConditions } from "./conditions.ts";
import { decide, type Decision, type Scene, shortName } from "./operations/decide.ts";
import { confirm, observe } from "./observe.ts";
import { follow, type Round, start, throttledFor } from "./operations/operations.ts";
import { lastAppliedIn } from "./model/last-applied.ts";
import { setBegun, type Scope } from "./scope.ts";
import { ownerOf, virtualNetworkID } from "../../azure-cluster/spec-view.ts";

// Another client is changing a resource of the cluster, and no event reports when it is done.
const RESOURCE_POLL_MS = 15_000;

/** Creates and updates the cluster's resources in Azure, as far as one pass can. */
export async function build(scope: Scope): Promise<Outcome> {
  setBegun(scope);
  forgetRefusals(scope);
  try {
    let retryAfterMs = noted(scope, await follow(scope));
    // A resource that Azure finishes immediately unblocks its dependants; each turn of the loop finishes at least one.
    for (let turn = 0; turn <= scope.desired.length; turn++) {
      const decisions = await decided(scope);
      recordEvents(scope, decisions);
      const round = await start(scope, decisions.flatMap(writeFor));
      retryAfterMs = sooner(retryAfterMs, noted(scope, round));
      if (round.ended === 0 || round.failures.length > 0) return ended(scope, decisions, retryAfterMs);
    }
    throw new Error("reconciling the resources of a cluster did not converge");
  } catch (error) {
    const waitMs = throttledFor(error);
    if (waitMs !== undefined) return block(waitMs, reasonFor(scope));
    throw failureOf(error, "reading from Azure");
  }
}

/** Records events only for a cluster in use; during its creation, the conditions are enough. */
function recordEvents({ cluster, context }: Scope, decisions: readonly Decision[]): void {
  if (cluster.status?.ready !== true) return;
  for (const { do: what, resource, why } of decisions) {
    if (what !== "put" && what !== "patchTags") continue;
    context.event({
      type: "Normal",
      reason: "ResourceUpdated",
      message: `Writing ${shortName(resource.id)}: ${why}`,
    });
  }
}

async function decided(scope: Scope): Promise<readonly Decision[]> {
  await observe(scope);
  const decisions = decide(sceneOf(scope));
  return (await confirm(scope, decisions)) ? decide(sceneOf(scope)) : decisions;
}

function sceneOf({ plan, desired, memory, ledger, cluster }: Scope): Scene {
  const network = virtualNetworkID(plan);
  return {
    owner: ownerOf(plan),
    desired,
    seen: memory.seen,
    lastApplied: lastAppliedIn(cluster.metadata.annotations),
    underWay: ledger.ids(),
    refused: new Map([...memory.refused].map(([id, { error }]) => [id, error.message])),
    networkID: network === undefined ? undefined : normalizedId(network),
  };
}

function writeFor(decision: Decision): readonly DesiredChange[] {
  const resourceID = decision.resource.id;
  switch (decision.do) {
    case "put": {
      const { body, isNew, etag, resource } = decision;
      const precondition = isNew ? { isNew } : etag === undefined ? {} : { etag };
      return [
        { verb: "PUT", resourceID, body, ...precondition, ...(resource.hasNoTags && { hasNoTags: true }) },
      ];
    }
    case "patchTags": {
      const { tags, etag } = decision;
      return [{ verb: "PATCH", resourceID, body: { tags }, ...(etag !== undefined && { etag }) }];
    }
    case "keep":
    case "wait":
    case "refuse":
      return [];
  }
}

/** A refused write is sent again with another spec, or when the cluster waits for nothing else. */
function forgetRefusals({ memory, ledger, cluster }: Scope): void {
  const { generation = 0 } = cluster.metadata;
  if (ledger.records().length === 0 || memory.generation !== generation) memory.refused.clear();
  memory.generation = generation;
}

function ended(scope: Scope, decisions: readonly Decision[], retryAfterMs: number | undefined): Outcome {
  setResourceConditions(scope, decisions);
  if (retryAfterMs !== undefined) return block(retryAfterMs, reasonFor(scope));
  const [failure] = scope.memory.refused.values();
  if (failure) throw failure.error;
  const refused = decisions.find((one) => one.do === "refuse");
  if (refused?.do === "refuse") throw terminal(refused.reason, `${refused.resource.field}: ${refused.why}`);
  const unready = decisions.find((one) => one.do !== "keep");
  if (!unready) return next;
  throw waiting("WaitingForAzure", `${unready.resource.field}: ${unready.why}`, RESOURCE_POLL_MS);
}

function reasonFor({ cluster }: Scope): string {
  return cluster.status?.ready === true ? "Updating" : "Creating";
}

/** Stores the refusals and returns when to retry the rest. */
function noted({ memory }: Scope, { failures, retryAfterMs }: Round): number | undefined {
  for (const failure of failures) memory.refused.set(normalizedId(failure.resourceID), failure);
  return retryAfterMs;
}

function sooner(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
