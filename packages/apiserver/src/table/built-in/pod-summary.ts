import type { StoredObject } from "../../storage/storage.ts";
import { at, count, isConditionTrue, list, text } from "../column.ts";
import { humanDuration, parseTimestamp } from "../human-duration.ts";

/** The contents of the columns Ready, Status and Restarts of a pod. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

const summaries = new WeakMap<StoredObject, { readonly now: number; readonly summary: PodSummary }>();

/** Summarizes the states of the containers of a pod. Three columns use it, so the last result is cached. */
export function podSummary(pod: StoredObject, now: number): PodSummary {
  const known = summaries.get(pod);
  if (known?.now === now) return known.summary;
  const summary = summarize(pod, now);
  summaries.set(pod, { now, summary });
  return summary;
}

/** The summary of some containers; `reason` is absent if they do not determine the status of the pod. */
interface Tally {
  readonly ready: number;
  readonly reason?: string | undefined;
  readonly restarts: Restarts;
}

interface Restarts {
  readonly times: number;
  /** When a container last ended before a restart. */
  readonly last: number | undefined;
}

const NO_RESTARTS: Restarts = { times: 0, last: undefined };

function summarize(pod: StoredObject, now: number): PodSummary {
  const { spec, status } = pod;
  const sidecars = sidecarNames(spec);
  const init = tallyInit(spec, status, sidecars);
  const isInitialized = init.reason === undefined || isConditionTrue(at(status, "conditions"), "Initialized");
  const main = isInitialized ? tallyMain(status) : undefined;
  const sidecarStatuses = list(at(status, "initContainerStatuses")).filter((one) =>
    sidecars.has(text(at(one, "name"))),
  );
  const restarts = main ? sum(restartsOf(sidecarStatuses), main.restarts) : init.restarts;
  const total = list(at(spec, "containers")).length + sidecars.size;
  const reason = main?.reason ?? init.reason ?? ownReason(status);
  return {
    ready: `${init.ready + (main?.ready ?? 0)}/${total}`,
    status: deletionReason(pod) ?? finalReason(reason, main, status),
    restarts: formatRestarts(restarts, now),
  };
}

/** Init containers that keep running beside the others. */
function sidecarNames(spec: unknown): ReadonlySet<string> {
  const sidecars = list(at(spec, "initContainers")).filter((one) => at(one, "restartPolicy") === "Always");
  return new Set(sidecars.map((one) => text(at(one, "name"))));
}

/** Summarizes the init containers up to the first that is not done. */
function tallyInit(spec: unknown, status: unknown, sidecars: ReadonlySet<string>): Tally {
  const statuses = list(at(status, "initContainerStatuses"));
  const total = list(at(spec, "initContainers")).length;
  let ready = 0;
  for (const [index, one] of statuses.entries()) {
    if (at(one, "state", "terminated", "exitCode") === 0) continue;
    const restarts = restartsOf(statuses.slice(0, index + 1));
    const isUp = sidecars.has(text(at(one, "name"))) && at(one, "started") === true;
    if (!isUp) return { ready, restarts, reason: `Init:${initReason(one) ?? `${index}/${total}`}` };
    if (at(one, "ready") === true) ready++;
  }
  return { ready, restarts: restartsOf(statuses) };
}

function initReason(container: unknown): string | undefined {
  const terminated = at(container, "state", "terminated");
  if (terminated !== undefined) return terminationReason(terminated);
  const waiting = text(at(container, "state", "waiting", "reason"));
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

function terminationReason(terminated: unknown): string {
  const signal = count(at(terminated, "signal"));
  const code = signal === 0 ? `ExitCode:${count(at(terminated, "exitCode"))}` : `Signal:${signal}`;
  return text(at(terminated, "reason")) || code;
}

/** The first container with a reason determines the status of the pod. */
function tallyMain(status: unknown): Tally {
  const statuses = list(at(status, "containerStatuses"));
  const reasons = statuses.map((one) => {
    const waiting = text(at(one, "state", "waiting", "reason"));
    const terminated = at(one, "state", "terminated");
    return waiting || (terminated === undefined ? undefined : terminationReason(terminated));
  });
  const ready = statuses.filter(
    (one, index) =>
      reasons[index] === undefined && at(one, "ready") === true && at(one, "state", "running") !== undefined,
  );
  return {
    ready: ready.length,
    reason: reasons.find((reason) => reason !== undefined),
    restarts: restartsOf(statuses),
  };
}

/** The pod's own reason. */
function ownReason(status: unknown): string {
  const isGated = list(at(status, "conditions")).some(
    (one) => at(one, "type") === "PodScheduled" && at(one, "reason") === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : text(at(status, "reason")) || text(at(status, "phase"));
}

/** A pod keeps running if only some of its containers are done. */
function finalReason(reason: string, main: Tally | undefined, status: unknown): string {
  if (reason !== "Completed" || !main || main.ready === 0) return reason;
  return isConditionTrue(at(status, "conditions"), "Ready") ? "Running" : "NotReady";
}

function deletionReason({ metadata, status }: StoredObject): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (at(status, "reason") === "NodeLost") return "Unknown";
  const phase = at(status, "phase");
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

function restartsOf(statuses: readonly unknown[]): Restarts {
  return statuses
    .map((one) => ({
      times: count(at(one, "restartCount")),
      last: parseTimestamp(text(at(one, "lastState", "terminated", "finishedAt"))),
    }))
    .reduce(sum, NO_RESTARTS);
}

function sum(a: Restarts, b: Restarts): Restarts {
  const last = a.last === undefined || b.last === undefined ? (a.last ?? b.last) : Math.max(a.last, b.last);
  return { times: a.times + b.times, last };
}

function formatRestarts({ times, last }: Restarts, now: number): string {
  return times === 0 || last === undefined ? String(times) : `${times} (${humanDuration(now - last)} ago)`;
}
