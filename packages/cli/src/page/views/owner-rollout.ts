import {
  Cluster,
  deprecatedConditionsOf,
  getCondition,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import type { Lane, LaneForecast, Obstacle, RolloutHead, RolloutNumbers, ViewState } from "@capstan/page";
import { ownerRollout } from "../../rollout/live-owner.ts";
import {
  type Owner,
  ownerMoment,
  type OwnerName,
  ownerProgress,
  type OwnerRollout,
  ownerWord,
  progressLines,
} from "../../rollout/owner-progress.ts";
import { ownerGroupOf } from "../../rollout/owner-tree.ts";
import { type Pace, paceAfter, paceLine } from "../../rollout/pace.ts";
import type { RolloutAnswer } from "../../rollout/rollout-answer.ts";
import type { ForecastLanes } from "../lanes/forecast-lanes.ts";
import { ownerForecast } from "../lanes/owner-forecast.ts";
import { isMachineOfPool } from "../lanes/segments.ts";
import { obstacleOf } from "../lanes/unblock.ts";
import type { LiveView } from "../live/follow-view.ts";
import { clusterNameOf } from "../live/live-objects.ts";
import { levelsOf, LOOK_BACK_MS, noteLevel, type RolloutMemory } from "./rollout-memory.ts";
import type { ViewSources } from "./view-for.ts";

const KINDS: ReadonlySet<string> = new Set(
  [Cluster, MachineDeployment, MachineSet, Machine, KubeadmControlPlane, KubeadmConfig].map(
    ({ kind }) => kind,
  ),
);

const REFRESH_MS = 5_000;

const NOTHING_EXPECTED: readonly LaneForecast[] = [];

/** The rollout of a MachineDeployment or a control plane, with the facts of `capstan rollout status`. */
export function ownerRolloutView(owner: OwnerName & { namespace: string }, sources: ViewSources): LiveView {
  const { live, now, memories, lanes, flags } = sources;
  const { kind, name, namespace } = owner;
  const reader = live.reader();
  const memory = memories.of(`${kind.kind}/${namespace}/${name}`);
  return {
    refreshMs: REFRESH_MS,
    note: ({ kind: changed, object }) => KINDS.has(changed.kind) && object.metadata.namespace === namespace,
    read: async (): Promise<ViewState<RolloutHead, Lane>> => {
      const rollout = await ownerRollout(reader, owner, { namespace, now });
      const { owner: stored } = rollout;
      memory.pace = paceAfter(memory.pace, ownerMoment(rollout));
      // Of owners that report their numbers themselves.
      const numbers = ownerProgress(rollout, memory.pace, { isWatching: true }).answer as RolloutAnswer;
      noteLevel(memory, rollout.nowMs, numbers.machines.available);
      const names = new Set(rollout.machines.map(({ metadata }) => metadata.name));
      const records = lanes.select(
        (machine) =>
          !isMachineOfPool(machine) &&
          machine.metadata.namespace === namespace &&
          (names.has(machine.metadata.name) || isOf(machine.metadata, stored)),
      );
      const expected = numbers.state === "RolledOut" ? undefined : expectedOf(rollout, memory);
      const shown = memory.drawn.draw(records, ({ machine }) => {
        const group = isMachineOfPool(machine) ? "" : ownerGroupOf(machine, rollout.outdated);
        const forecast = expected?.byName.get(machine.metadata.name) ?? NOTHING_EXPECTED;
        return { group, forecast, nowMs: rollout.nowMs };
      });
      const rows = [...shown, ...(expected?.created ?? [])];
      const levels = levelsOf(memory, rows);
      return { head: headOf({ stored, numbers, rollout, memory, levels, flags, owner }), rows };
    },
  };
}

// Dashes that move with each second would be read again by all browsers.
const FORECAST_AGE_MS = 30_000;

/** The forecast, made again when machines were changed, or when it is old. */
function expectedOf(
  { machines, outdated, course, nowMs }: OwnerRollout,
  memory: RolloutMemory,
): ForecastLanes | undefined {
  const next = machines
    .filter(({ metadata }) => outdated.has(metadata.name) && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata)
    .toSorted((a, b) => Date.parse(a.creationTimestamp ?? "") - Date.parse(b.creationTimestamp ?? ""))
    .map(({ name }) => name);
  const of = next.join(" ");
  const kept = memory.ofOwner;
  if (kept?.of === of && nowMs - kept.atMs < FORECAST_AGE_MS) return kept.lanes;
  const lanes = ownerForecast({ course, outdated: next, nowMs });
  memory.ofOwner = { atMs: nowMs, of, lanes };
  return lanes;
}

/** Machines that are gone are not listed any more; they had the labels of their owner. */
function isOf(
  { labels = {} }: { readonly labels?: Readonly<Record<string, string>> },
  owner: Owner,
): boolean {
  return Object.entries(labels).some(
    ([label, value]) => OWNER_LABELS.has(label) && value === owner.metadata.name,
  );
}

const OWNER_LABELS: ReadonlySet<string> = new Set([
  "cluster.x-k8s.io/deployment-name",
  "cluster.x-k8s.io/control-plane-name",
]);

interface Parts {
  readonly stored: Owner;
  readonly numbers: RolloutNumbers;
  readonly rollout: OwnerRollout;
  readonly memory: RolloutMemory;
  readonly levels: RolloutHead["levels"];
  readonly flags: string;
  readonly owner: OwnerName & { readonly namespace: string };
}

function headOf({ stored, numbers, rollout, memory, levels, flags, owner }: Parts): RolloutHead {
  const [sentence = "", ...notes] = progressLines(rollout, undefined);
  const { pace } = memory;
  const word = ownerWord(owner.kind, owner.name);
  const obstacles = obstaclesOf({ stored, numbers, rollout, flags, owner }, word);
  return {
    numbers,
    tone: numbers.state === "RolledOut" ? "good" : obstacles.length > 0 ? "bad" : "waiting",
    sentence,
    obstacles,
    notes,
    levels,
    ...paceOf(pace, rollout),
    command: `npx capstan rollout status ${word} -n ${owner.namespace} ${flags}`.trim(),
  };
}

function paceOf(
  pace: Pace | undefined,
  rollout: OwnerRollout,
): Pick<RolloutHead, "beganMs" | "endedMs" | "expectedEndMs" | "pace"> {
  if (!pace) return { beganMs: rollout.nowMs - LOOK_BACK_MS };
  const { beganMs, endedMs, expectedEndMs } = pace;
  const moment = ownerMoment(rollout);
  return {
    beganMs,
    ...(endedMs !== undefined && { endedMs }),
    ...(expectedEndMs !== undefined && !moment.isDone && { expectedEndMs }),
    pace: paceLine(pace, moment),
  };
}

function obstaclesOf(
  { stored, numbers, rollout, flags, owner }: Omit<Parts, "levels" | "memory">,
  word: string,
): readonly Obstacle[] {
  const held = {
    word,
    kind: owner.kind.kind,
    namespace: owner.namespace,
    name: owner.name,
    cluster: clusterNameOf(stored) ?? "",
    flags,
  };
  const drains = rollout.machines.flatMap((machine) => {
    const drained = getCondition(deprecatedConditionsOf(machine), "DrainingSucceeded");
    return drained?.status === "False" && drained.reason === "DrainBlocked"
      ? [{ who: machine.metadata.name, reason: drained.reason, message: drained.message ?? "" }]
      : [];
  });
  const causes = numbers.causes.map((cause) => ({ ...cause, who: "blocked" }));
  return [...drains, ...causes].map((report) => obstacleOf(report, held));
}
