import { again, block, next, type Outcome } from "@capstan/runtime";
import {
  blocksMove,
  interruptionOf,
  isRunning,
  type PrototypePhase,
  shortageOf,
  yields,
} from "@capstan/plan";
import { abort } from "./abort.ts";
import type { AzureScope } from "../gallery/azure-reads.ts";
import { candidatesOf } from "../fleet/candidates.ts";
import { collect, rebuild, removeAll, verifyActive } from "../gallery/collect.ts";
import { drainDonor, prepareDonor, protect, stopDonor } from "./donor-steps.ts";
import { nodesOf } from "../fleet/donor-node.ts";
import { afterDeadline, afterError } from "./fail.ts";
import { awaitRenewal, releaseClaim } from "./idle.ts";
import { promote } from "./promote.ts";
import { publish } from "./publish.ts";
import { restoreDonor } from "./restore.ts";
import { rollBack } from "./rollback.ts";
import { moveTo, recordOf, renewalOf, type Scope } from "../scope.ts";
import { validate } from "./canary.ts";
import { scrubCopy } from "./scrub.ts";
import { cleanSnapshots, takeSnapshot } from "./snapshot.ts";

const HELD_MS = 10 * 60_000;
const SOON_MS = 15_000;

type Step = (scope: AzureScope) => Promise<Outcome>;

/** What is done in each step. Some names of steps are not used yet: they lead on. */
const STEPS: Readonly<Record<PrototypePhase, Step>> = {
  Idle: awaitRenewal,
  Selecting: awaitRenewal,
  Protecting: protect,
  Preparing: prepareDonor,
  Draining: drainDonor,
  Stopping: stopDonor,
  Snapshotting: takeSnapshot,
  Restoring: restoreDonor,
  Scrubbing: scrubCopy,
  Publishing: publish,
  CleaningSnapshot: cleanSnapshots,
  Validating: validate,
  Promoting: promote,
  Recording: promote,
  Soaking: awaitRenewal,
  RollingBack: rollBack,
  Aborting: abort,
};

/** Whether a pass has anything to do: a pool that never used the feature is left alone. */
function isConcerned({ settings, owner }: Scope): boolean {
  return settings !== undefined || owner.status?.nodePrototyping !== undefined;
}

function withAzure(scope: Scope): scope is AzureScope {
  return scope.azure !== undefined;
}

/** Whether the feature is off and no renewal has to be ended. */
function isOff({ offBecause, owner }: Scope): boolean {
  return offBecause !== undefined && !isRunning(owner.status?.nodePrototyping);
}

/** Gets the credentials, if there is anything to do. */
export async function connect(scope: Scope): Promise<Outcome> {
  if (!isConcerned(scope)) return next;
  // Without its AzureCluster a deleted pool has no place in Azure to clean up.
  if (!withAzure(scope)) return scope.isDeleting ? next : block(HELD_MS, "NothingToRenew");
  if (!isOff(scope)) await scope.azure.connect();
  return next;
}

/** A phase that reads or writes Azure, with what an error of Azure means. */
function inAzure(run: Step): (scope: Scope) => Promise<Outcome> {
  return async (scope) => {
    if (!withAzure(scope)) return next;
    try {
      return await run(scope);
    } catch (error) {
      return afterError(scope, error);
    }
  };
}

/** Rebuilds a record that was lost, before anything is decided on it. */
export const recover = inAzure((scope) =>
  scope.offBecause === undefined ? rebuild(scope) : Promise.resolve(next),
);

/** Notices that another client has deleted the version that new machines boot from. */
export const verifyVersion = inAzure((scope) =>
  scope.offBecause === undefined ? verifyActive(scope) : Promise.resolve(next),
);

/** Deletes versions that are not needed any more. */
export const collectSurplus = inAzure((scope) =>
  scope.offBecause === undefined ? collect(scope) : Promise.resolve(next),
);

/** Ends a renewal that must not go on, with the donor in service. */
export async function interrupt(scope: Scope): Promise<Outcome> {
  const record = recordOf(scope);
  const changing = isRunning(record) ? (scope.fleet.changing()?.why ?? (await shortage(scope))) : undefined;
  const interruption = interruptionOf(record, { ...scope, changeOfPool: changing });
  if (!interruption) return next;
  const { to, code, why } = interruption;
  scope.note = { reason: code, why };
  if (to === "hold") return block(HELD_MS, code);
  const lastError = { step: record.phase, code, message: why };
  await moveTo(scope, to, { lastError, ...(to === "Restoring" && { succeeded: false }) });
  const message = `${record.phase}: ${why}`;
  scope.context.event({ type: "Normal", reason: "PrototypeInterrupted", message });
  return again(0, to);
}

/** Whether the pool lacks another machine than the donor: then the donor is needed in service. */
async function shortage(scope: Scope): Promise<string | undefined> {
  const nodes = yields(recordOf(scope)) ? await nodesOf(scope) : undefined;
  if (!nodes) return undefined;
  return shortageOf(candidatesOf(scope, nodes), scope.fleet.desired, renewalOf(scope).donor.machine);
}

/** Carries out the current step. */
export const advance = inAzure(async (scope) => {
  releaseClaim(scope);
  if (scope.isDeleting && !isRunning(recordOf(scope))) return next;
  if (isOff(scope)) return retire(scope);
  return (await afterDeadline(scope)) ?? (await STEPS[recordOf(scope).phase](scope));
});

/** While the pool is paused, a donor is brought back, and what was not completed is deleted. */
export async function advanceWhilePaused(scope: Scope): Promise<Outcome> {
  if (!withAzure(scope) || !blocksMove(recordOf(scope))) return next;
  await scope.azure.connect();
  const interrupted = await interrupt(scope);
  if (interrupted.type === "block") return interrupted;
  const { phase } = recordOf(scope);
  return phase === "Restoring" || phase === "Aborting" ? advance(scope) : next;
}

/** The feature is off: what it has made goes when its field is gone and the scale set boots from the image in the spec. */
async function retire(scope: AzureScope): Promise<Outcome> {
  if (scope.settings || !isConcerned(scope)) return next;
  if (!(await scope.fleet.restoreSpec())) return again(0, "Removing");
  if (scope.fleet.mayBootFromPrototype()) return again(SOON_MS, "AwaitingModel");
  await scope.azure.connect();
  if (!(await removeAll(scope))) return again(SOON_MS, "Removing");
  const { nodePrototyping: _, ...rest } = scope.owner.status ?? {};
  scope.owner.status = rest;
  return next;
}

/** The pool is being deleted: its donor is back, then everything that was made for its images goes. */
export const removeImages = inAzure(async (scope) => {
  const record = recordOf(scope);
  // The step says itself when it goes on; this only keeps the finalizer.
  if (isRunning(record)) return again(SOON_MS, record.phase);
  if (scope.fleet.mayBootFromPrototype()) return again(SOON_MS, "WaitingForMachines");
  return (await removeAll(scope)) ? next : again(SOON_MS, "Removing");
});
