import {
  CONTROL_PLANE_NAME_LABEL,
  type Condition,
  DEPLOYMENT_NAME_LABEL,
  type CustomKind,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  KubeadmControlPlane,
  labelValueFor,
  type KubernetesObject,
  Machine,
  MachineDeployment,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { unknownName } from "../cluster/unknown-name.ts";
import { EXIT } from "../exit-codes.ts";
import { titleOf } from "../plan/read/given-objects.ts";
import type { RecordedDecision } from "../plan/read/in-place-verdict.ts";
import type { Course } from "../plan/print/course.ts";
import type { Patience, Progress } from "./follow-rollout.ts";
import { inPlaceLines } from "./in-place-lines.ts";
import { type Pace, paceLine, type RolloutMoment, tookLine } from "./pace.ts";
import type { RolloutAnswer } from "./rollout-answer.ts";

/** An owner of machines that reports the numbers of its rollout in its status. */
export type Owner = Frozen<KubernetesObject> & {
  readonly spec: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly rollout?: {
      readonly strategy?: { readonly type?: string; readonly fallbackRollingUpdate?: object };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly upToDateReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Frozen<Condition>[];
    readonly inPlace?: { readonly decisions: readonly RecordedDecision[] };
    readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly Frozen<Condition>[] } };
  };
};

/** The kinds of such owners. */
export const OWNER_KINDS: readonly CustomKind[] = [MachineDeployment, KubeadmControlPlane];

/** The same by the words for them; a pool is named without its kind. */
const KINDS: ReadonlyMap<string, CustomKind> = new Map(
  OWNER_KINDS.flatMap((kind) =>
    [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].map((word) => [word, kind]),
  ),
);

/** How a user names an owner. */
export function ownerWord({ kind, shortNames: [short = kind] }: CustomKind, name: string): string {
  return `${short}/${name}`;
}

/** The owner of machines that a user names as KIND/NAME. */
export interface OwnerName {
  readonly kind: CustomKind;
  readonly name: string;
}

/** Reads KIND/NAME; undefined for anything else, which names a pool. */
export function ownerNamed(given: string): OwnerName | undefined {
  const [word = "", name = "", ...more] = given.split("/");
  const kind = KINDS.get(word.toLowerCase());
  return kind && name !== "" && more.length === 0 ? { kind, name } : undefined;
}

/** Reads an owner; an error names the existing ones if there is none of that name. */
export async function readOwner(
  client: Client,
  { kind, name }: OwnerName,
  namespace: string,
): Promise<Owner> {
  const owner = await client.find(kind, { name, namespace });
  if (owner) return owner as Owner;
  throw await unknownName(client, { kind, name, namespace });
}

/** The rollout of an owner at one moment. */
export interface OwnerRollout {
  readonly owner: Owner;
  readonly machines: readonly Frozen<Machine>[];
  /** The names of the machines that differ from the desired state. */
  readonly outdated: ReadonlySet<string>;
  readonly nowMs: number;
  /** What becomes of the outdated machines. */
  readonly course: Course;
}

/** How far the rollout of an owner is. */
export function ownerProgress(
  rollout: OwnerRollout,
  pace: Pace | undefined,
  { isWatching }: Pick<Patience, "isWatching">,
): Progress {
  const { owner } = rollout;
  const isDone = isRolledOut(owner);
  const took = tookLine(pace);
  // What is left changes with every look; only a window shows it.
  const lines = took === undefined ? linesFor(rollout, isDone) : [...linesFor(rollout, isDone), took];
  const code = isDone ? EXIT.done : isWatching ? undefined : EXIT.failed;
  return { text: `${lines.join("\n")}\n`, code, answer: ownerAnswer(owner, isDone) };
}

/** The numbers of the rollout of an owner, what holds it up, and how fast it is: a line each. */
export function progressLines(rollout: OwnerRollout, pace: Pace | undefined): readonly string[] {
  const moment = ownerMoment(rollout);
  const lines = linesFor(rollout, moment.isDone).map((line) => line.trim());
  return pace ? [...lines, paceLine(pace, moment)] : lines;
}

function linesFor({ owner, machines }: OwnerRollout, isDone: boolean): readonly string[] {
  const inPlace = isDone ? [] : inPlaceLines(owner, machines);
  return [...sentenceFor(owner, isDone).split("\n"), ...inPlace.map((line) => `  ${line}`)];
}

/** What the pace of a rollout depends on. */
export function ownerMoment({ owner, outdated, nowMs, course }: OwnerRollout): RolloutMoment {
  const { maxSurge, maxUnavailable, time, pace, isInPlace } = course;
  const durationMs = isInPlace ? pace && pace.eachMs * outdated.size : time?.typicalMs;
  const waves = Math.ceil(outdated.size / Math.max(1, maxSurge + maxUnavailable));
  return {
    isDone: isRolledOut(owner),
    nowMs,
    outdated: outdated.size,
    upToDate: owner.status?.upToDateReplicas ?? 0,
    conditions: owner.status?.conditions,
    left: durationMs === undefined ? undefined : { durationMs, waves },
  };
}

/** The machines of an owner, by the label that its controller gives them. */
export function machinesOf(client: Client, { kind, metadata }: Owner): Promise<readonly Frozen<Machine>[]> {
  const label = kind === KubeadmControlPlane.kind ? CONTROL_PLANE_NAME_LABEL : DEPLOYMENT_NAME_LABEL;
  const { namespace = "", name } = metadata;
  return client.list(Machine, { namespace, labelSelector: `${label}=${labelValueFor(name)}` });
}

function isRolledOut({ metadata, spec, status = {} }: Owner): boolean {
  const { replicas = 1 } = spec;
  const counts = [status.replicas, status.upToDateReplicas, status.readyReplicas];
  return status.observedGeneration === metadata.generation && counts.every((count = 0) => count === replicas);
}

function sentenceFor(owner: Owner, isDone: boolean): string {
  const { replicas: desired = 1 } = owner.spec;
  const { replicas = 0, upToDateReplicas = 0, readyReplicas = 0 } = owner.status ?? {};
  if (isDone) return `${titleOf(owner)} is rolled out: ${desired} of ${desired} up to date and ready`;
  const outdated = replicas - upToDateReplicas;
  const parts = [
    `${upToDateReplicas} of ${desired} up to date`,
    ...(outdated > 0 ? [`${outdated} outdated`] : []),
    `${readyReplicas} ready`,
  ];
  return `Waiting for ${titleOf(owner)}: ${parts.join(", ")}${holdOf(deprecatedConditionsOf(owner))}`;
}

/** The same as an object for programs; its fields are those of `rolloutAnswer`. */
function ownerAnswer(owner: Owner, isDone: boolean): RolloutAnswer {
  const { apiVersion, kind, metadata, spec, status = {} } = owner;
  const { replicas = 0, upToDateReplicas = 0, readyReplicas = 0, availableReplicas = readyReplicas } = status;
  return {
    apiVersion,
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    state: isDone ? "RolledOut" : "Waiting",
    machines: {
      desired: spec.replicas ?? 1,
      upToDate: upToDateReplicas,
      outdated: replicas - upToDateReplicas,
      available: availableReplicas,
    },
    causes: isDone ? [] : holdsIn(deprecatedConditionsOf(owner)),
  };
}

/** What holds the rollout up, each on a line of its own. */
function holdOf(conditions: readonly Frozen<Condition>[] | undefined): string {
  return holdsIn(conditions)
    .map(({ reason, message }) => `\n  ${reason}: ${message}`)
    .join("");
}

function holdsIn(conditions: readonly Frozen<Condition>[] | undefined): RolloutAnswer["causes"] {
  const created = getCondition(conditions, "MachinesCreated");
  const holds = [
    ...(created?.status === "False" ? [created] : []),
    ...["MachinesSpecUpToDate", "RolloutComplete"].flatMap((type) => {
      const rollout = getCondition(conditions, type);
      return rollout?.status === "False" && HOLDS.has(rollout.reason ?? "") ? [rollout] : [];
    }),
  ];
  return holds.map(({ reason = "", message = "" }) => ({ reason, message }));
}

// Reasons for which a rollout waits for something else than its machines.
const HOLDS: ReadonlySet<string> = new Set([
  "CannotBeRemediated",
  "ChangesNotCovered",
  "InPlaceUpdatesDisabled",
  "MachineCreateDisabled",
  "PreflightCheckFailed",
  "RemediationLimited",
  "UpdateFailed",
  "UpdatersNotAnswering",
  "WaitingForApproval",
]);
