/** Decides the next step of an update in place of one machine: pure, time is an argument. */
import {
  deprecatedConditionsOf,
  getCondition,
  formatTimestamp,
  type Frozen,
  isUpdatePending,
  type Machine,
  RETRY_UPDATE_ANNOTATION,
  UPDATED_FROM_VERSION_ANNOTATION,
} from "@capstan/api";
import { isOtherVersion } from "../conditions/kubelet-version.ts";

/** The answer to UpdateMachine. */
export type UpdateAnswer =
  | { readonly status: "Done" }
  | { readonly status: "InProgress"; readonly waitMs: number; readonly message: string }
  | { readonly status: "Error"; readonly message: string };

/** The recorded progress of an update. */
export type UpdateProgress = NonNullable<NonNullable<Frozen<Machine>["status"]>["update"]>;

/** The next step, and why. */
export type UpdateStep = { readonly why: string } & (
  | { readonly do: "nothing" }
  /** The desired state is not complete yet: the owner of the machine writes it. */
  | { readonly do: "await" }
  /** Record that an updater is about to be called for the first time, then call it. */
  | { readonly do: "start" | "call"; readonly updater: string; readonly progress: UpdateProgress }
  | { readonly do: "wait"; readonly untilMs: number; readonly progress: UpdateProgress }
  | { readonly do: "find"; readonly updater: string }
  | { readonly do: "fail"; readonly progress: UpdateProgress }
  | { readonly do: "stayFailed"; readonly progress: UpdateProgress }
  | { readonly do: "finish" }
);

/** The input of the decision. */
export interface UpdateInput {
  readonly machine: Frozen<Machine>;
  /** A hash of the desired state. */
  readonly specHash: string;
  /** Whether the first updater of the list is registered. */
  readonly isRegistered: boolean;
  /** How long the updater may take. */
  readonly timeoutMs: number;
  readonly nowMs: number;
}

/** Decides what to do next with a machine that may have updaters. */
export function nextUpdateStep(input: UpdateInput): UpdateStep {
  const { machine } = input;
  const [updater] = machine.spec.updaters ?? [];
  if (!isUpdatePending(machine)) {
    return updater === undefined
      ? { do: "nothing", why: "the machine is not being updated" }
      : { do: "await", why: "the owner of the machine has not written the desired state yet" };
  }
  if (updater === undefined) return { do: "finish", why: "all updaters are done" };
  const known = progressOf(input, updater);
  if (known?.state === "Failed") return { do: "stayFailed", progress: known, why: known.message ?? "" };
  if (known) return nextCall(input, updater, known);
  if (!input.isRegistered) return { do: "find", updater, why: `updater ${updater} is not registered` };
  return { do: "start", updater, progress: freshProgress(input, updater), why: "first call" };
}

/** The next step with an updater that was called before. */
function nextCall(input: UpdateInput, updater: string, known: UpdateProgress): UpdateStep {
  const { isRegistered, timeoutMs, nowMs } = input;
  const deadlineMs = Math.max(Date.parse(known.since), resumedMs(input)) + timeoutMs;
  if (nowMs >= deadlineMs) {
    const last = known.message === undefined ? "" : `; last answer: ${known.message}`;
    const message = `was not done within ${timeoutMs / MINUTE_MS} min${last}`;
    return { do: "fail", progress: { ...known, state: "Failed", message }, why: message };
  }
  if (!isRegistered) return { do: "find", updater, why: `updater ${updater} is not registered any more` };
  const nextMs = Date.parse(known.nextCallTime ?? known.since);
  if (nowMs >= nextMs) return { do: "call", updater, progress: known, why: "the updater is not done yet" };
  const untilMs = Math.min(nextMs, deadlineMs);
  return { do: "wait", untilMs, progress: known, why: "the updater asked to be called later" };
}

const MINUTE_MS = 60_000;

/** When the machine was resumed after a pause, in which no updater was called: its time limit starts again, as that of a drain does. */
function resumedMs({ machine, nowMs }: UpdateInput): number {
  const paused = getCondition(deprecatedConditionsOf(machine), "Paused");
  if (!paused) return 0;
  // The runner reports the resume at the end of the first pass.
  return paused.status === "True" ? nowMs : Date.parse(paused.lastTransitionTime);
}

/** The recorded progress, if it is about this updater and this desired state, and no user asked for a retry. */
function progressOf({ machine, specHash }: UpdateInput, updater: string): UpdateProgress | undefined {
  const { update } = machine.status ?? {};
  if (update?.specHash !== specHash || update.updater !== updater) return undefined;
  const retry = machine.metadata.annotations?.[RETRY_UPDATE_ANNOTATION];
  return update.state === "Failed" && retry !== update.retried ? undefined : update;
}

function freshProgress({ machine, specHash, nowMs }: UpdateInput, updater: string): UpdateProgress {
  const retried = machine.metadata.annotations?.[RETRY_UPDATE_ANNOTATION];
  return {
    updater,
    specHash,
    state: "InProgress",
    since: formatTimestamp(nowMs),
    ...(retried !== undefined && { retried }),
  };
}

/** The progress after an answer; undefined when the updater is done. */
export function afterAnswer(
  progress: UpdateProgress,
  answer: UpdateAnswer,
  nowMs: number,
): UpdateProgress | undefined {
  if (answer.status === "Done") return undefined;
  const { nextCallTime: _, failures: __, message: ___, ...kept } = progress;
  const attempts = (progress.attempts ?? 0) + 1;
  if (answer.status === "Error") return { ...kept, attempts, state: "Failed", message: answer.message };
  return {
    ...kept,
    attempts,
    nextCallTime: timestampAfter(nowMs, answer.waitMs),
    ...(answer.message !== "" && { message: answer.message }),
  };
}

/**
 * Why the last updater of a machine is not done although it says so; undefined if it is. Only a change of the version can be
 * checked, because only the Node reports what runs.
 */
export function falseDone(
  { metadata, spec }: Frozen<Machine>,
  kubeletVersion: string | undefined,
): string | undefined {
  const { version, updaters = [] } = spec;
  const isVersionChanged = metadata.annotations?.[UPDATED_FROM_VERSION_ANNOTATION] !== undefined;
  if (!isVersionChanged || updaters.length > 1 || version === undefined) return undefined;
  if (!isOtherVersion(kubeletVersion ?? "", version)) return undefined;
  return `said Done, but the kubelet of the Node reports ${kubeletVersion ?? "no version"}, not ${version}`;
}

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 2 * 60_000;
const MOST_DOUBLINGS = 6;

/** The progress after a call without a usable answer: the updater is called again, each time after a longer wait. */
export function afterFailure(progress: UpdateProgress, message: string, nowMs: number): UpdateProgress {
  const failures = (progress.failures ?? 0) + 1;
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), LONGEST_RETRY_MS);
  return {
    ...progress,
    attempts: (progress.attempts ?? 0) + 1,
    failures,
    message,
    nextCallTime: timestampAfter(nowMs, waitMs),
  };
}

/** Timestamps have whole seconds; rounded up, so that no call comes early. */
function timestampAfter(nowMs: number, waitMs: number): string {
  return formatTimestamp(Math.ceil((nowMs + waitMs) / 1000) * 1000);
}
