/** A control plane in memory: the planner's decisions are carried out on a model of machines and etcd, in any order of events. */
import { createRng } from "@capstan/env";
import type { ControlPlaneAction } from "./action.ts";
import { planControlPlane } from "./plan.ts";
import { ETCD_MEMBER_HEALTHY } from "./quorum.ts";
import type { ControlPlaneMachine, ControlPlaneView, MachineUpdateVerdict, MemberView } from "./view.ts";

/** A change that users or the world make when everything is at rest. */
type StoryStep =
  | { readonly version: string }
  | { readonly replicas: number }
  /** Machines whose virtual machine vanishes, and which a health check marks. */
  | { readonly loses: number }
  /** A member of etcd that never started: its machine failed while it joined. */
  | { readonly stray: true };

export interface Story {
  readonly replicas: number;
  readonly maxSurge: 0 | 1;
  /** Machines are updated in place; updaters make all changes, or none. */
  readonly inPlace?: "Covered" | "Uncovered";
  readonly steps: readonly StoryStep[];
}

interface Model {
  version: string;
  replicas: number;
  isInitialized: boolean;
  machines: ModelMachine[];
  members: MemberView[];
  leader: string | undefined;
  nowMs: number;
  created: number;
  remediationInProgress: ControlPlaneView["remediationInProgress"];
}

interface ModelMachine {
  readonly name: string;
  readonly createdMs: number;
  version: string;
  readonly failureDomain: string | undefined;
  stage: "booting" | "learner" | "running" | "updating" | "draining" | "waiting" | "released";
  isLost: boolean;
  deletingSinceMs: number | undefined;
}

export interface StoryRun {
  readonly log: readonly string[];
  readonly end: readonly string[];
  readonly violations: readonly string[];
}

const MOST_EVENTS = 2000;

/** Runs a story; without a seed, events happen in a fixed order. */
export function runStory(story: Story, seed?: number): StoryRun {
  const rng = createRng(String(seed ?? 0), "story");
  const pick = <T>(list: readonly T[]): T | undefined =>
    seed === undefined ? list[0] : list[Math.floor(rng.next() * list.length)];
  const model: Model = {
    version: "v1.33.5",
    replicas: story.replicas,
    isInitialized: false,
    machines: [],
    members: [],
    leader: undefined,
    nowMs: 0,
    created: 0,
    remediationInProgress: undefined,
  };
  const log: string[] = [];
  const violations: string[] = [];
  const settle = (): void => {
    for (let events = 0; events < MOST_EVENTS; events++) {
      model.nowMs += 1000;
      const choices = [...eventsOf(model), ...plannedBy(story, model, log)];
      const next = pick(choices);
      if (!next) return;
      next();
      violations.push(...violationsIn(model));
    }
    violations.push(`not at rest after ${MOST_EVENTS} events`);
  };
  settle();
  for (const step of story.steps) {
    log.push(`* ${JSON.stringify(step)}`);
    take(model, step);
    settle();
  }
  const end = model.machines.map(({ version, stage }) => `${version} ${stage}`);
  return { log, end: [...end, `${model.members.length} members`], violations: [...new Set(violations)] };
}

function take(model: Model, step: StoryStep): void {
  if ("version" in step) model.version = step.version;
  if ("replicas" in step) model.replicas = step.replicas;
  if ("loses" in step) for (const machine of model.machines.slice(0, step.loses)) machine.isLost = true;
  if ("stray" in step)
    model.members.push({ id: "18446744073709551615", name: "", isLearner: true, hasAlarm: false });
}

/** What happens by itself: machines boot, join and go. */
function eventsOf(model: Model): (() => void)[] {
  return model.machines.flatMap((machine) => {
    switch (machine.stage) {
      case "booting":
        return [() => beginJoin(model, machine)];
      case "learner":
        return [() => finishJoin(model, machine)];
      case "draining":
        return [() => void (machine.stage = "waiting")];
      case "updating":
        return [() => void (machine.stage = "running")];
      case "released":
        return [() => void (model.machines = model.machines.filter((one) => one !== machine))];
      case "running":
      case "waiting":
        return [];
    }
  });
}

function beginJoin(model: Model, machine: ModelMachine): void {
  const id = String(10n ** 19n + BigInt(model.created) * 7n + BigInt(machine.createdMs));
  const isFirst = !model.isInitialized;
  model.members.push({ id, name: machine.name, isLearner: !isFirst, hasAlarm: false });
  if (isFirst) model.leader = id;
  model.isInitialized = true;
  machine.stage = isFirst ? "running" : "learner";
}

function finishJoin(model: Model, machine: ModelMachine): void {
  model.members = model.members.map((one) =>
    one.name === machine.name ? { ...one, isLearner: false } : one,
  );
  machine.stage = "running";
}

/** The planner's next action, if it is not a wait. */
function plannedBy(story: Story, model: Model, log: string[]): (() => void)[] {
  const { actions } = planControlPlane(viewOf(story, model));
  const [action] = actions.filter((one) => one.action !== "Wait");
  if (!action) return [];
  return [
    () => {
      log.push(`  ${action.action} ${action.targets.join(", ")} ${detailOf(action)}: ${action.why}`);
      perform(model, action);
    },
  ];
}

function detailOf({ action, detail }: ControlPlaneAction): string {
  if (action === "Remediate")
    return JSON.stringify({ cause: detail.cause, retryCount: detail.record.retryCount });
  const { id: _, ...shown } = detail as { readonly id?: string };
  return JSON.stringify(shown);
}

function perform(model: Model, action: ControlPlaneAction): void {
  const [target = ""] = action.targets;
  const machine = model.machines.find(({ name }) => name === target);
  switch (action.action) {
    case "CreateMachine":
      model.remediationInProgress = undefined;
      return create(model, action.detail.failureDomain);
    case "DeleteMachine":
      return remove(model, machine);
    case "Remediate":
      model.remediationInProgress = action.detail.record;
      return remove(model, machine);
    case "MoveEtcdLeader":
      model.leader = action.detail.id;
      return;
    case "RemoveEtcdMember":
      return removeMember(model, action.detail.id);
    case "ReleaseMachine":
      return release(machine);
    case "UpdateMachineInPlace":
      return update(model, machine);
    case "Wait":
  }
}

function update({ version }: Model, machine: ModelMachine | undefined): void {
  if (!machine) return;
  machine.version = version;
  machine.stage = "updating";
}

function release(machine: ModelMachine | undefined): void {
  if (machine) machine.stage = "released";
}

function removeMember(model: Model, removed: string): void {
  model.members = model.members.filter(({ id }) => id !== removed);
  if (model.leader === removed) model.leader = model.members[0]?.id;
}

function create(model: Model, failureDomain: string | undefined): void {
  model.created++;
  model.machines.push({
    name: `m${model.created}`,
    createdMs: model.nowMs,
    version: model.version,
    failureDomain,
    stage: "booting",
    isLost: false,
    deletingSinceMs: undefined,
  });
}

function remove(model: Model, machine: ModelMachine | undefined): void {
  if (!machine) return;
  machine.deletingSinceMs = model.nowMs;
  machine.stage = "draining";
}

function inPlaceOf({ inPlace: result }: Story, model: Model): Pick<ControlPlaneView, "inPlace"> {
  if (!result) return {};
  const verdict = {
    result,
    updaters: ["upgrader"],
    paths: ["machine.spec.version"],
    why: "the updaters were asked",
  };
  const verdicts = new Map(model.machines.map(({ name }) => [name, verdict as MachineUpdateVerdict]));
  return { inPlace: { key: model.version, isDisabled: false, verdicts } };
}

function viewOf(story: Story, model: Model): ControlPlaneView {
  const running = model.machines.filter((one) => !one.isLost);
  const voters = model.members.filter(({ isLearner }) => !isLearner);
  const { maxSurge } = story;
  const alive = voters.filter(({ name }) => running.some((one) => one.name === name)).length;
  const hasQuorum = alive >= Math.floor(voters.length / 2) + 1;
  const { isInitialized, replicas, version, members, leader, nowMs, remediationInProgress } = model;
  return {
    namespace: "default",
    name: "cp",
    replicas,
    version,
    maxSurge,
    isInitialized,
    ...(isInitialized && !hasQuorum && { unreachable: "the API server does not answer" }),
    failureDomains: ["1", "2", "3"],
    machines: model.machines.map((machine) => machineView(model, machine)),
    etcd: hasQuorum ? { state: "known", members, leader } : { state: "unknown", why: "no quorum" },
    remediation: { retryPeriodMs: 0, minHealthyPeriodMs: 3_600_000 },
    ...(remediationInProgress && { remediationInProgress }),
    ...inPlaceOf(story, model),
    nowMs,
  };
}

function machineView(model: Model, machine: ModelMachine): ControlPlaneMachine {
  const { name, createdMs, failureDomain, deletingSinceMs, stage, isLost, version } = machine;
  const hasNode = stage !== "booting" && stage !== "learner";
  return {
    name,
    createdMs,
    ...(deletingSinceMs !== undefined && { deletingSinceMs }),
    ...(hasNode && { nodeName: name }),
    isReachable: !isLost,
    ...(failureDomain !== undefined && { failureDomain }),
    outdated: version === model.version ? [] : [`version ${version} is not ${model.version}`],
    hasDeleteAnnotation: false,
    ...(isLost && deletingSinceMs === undefined && { remediation: "Unhealthy" as const }),
    parts: partsOf(model, machine),
    waitsForRelease: stage === "waiting",
    hasHook: stage !== "released",
    ...(stage === "updating" && { update: { state: "running" as const, key: version } }),
    otherHooks: [],
  };
}

function partsOf({ members }: Model, { name, stage, isLost }: ModelMachine): ControlPlaneMachine["parts"] {
  const isFine = stage === "running" && !isLost;
  const isVoter = members.some((one) => one.name === name && !one.isLearner);
  const part = (called: string, isHealthy: boolean): ControlPlaneMachine["parts"][number] => ({
    part: called,
    health: isHealthy ? "healthy" : "unhealthy",
    why: isHealthy ? "" : "it is not there",
  });
  return [part("NodeReady", isFine), part(ETCD_MEMBER_HEALTHY, isFine && isVoter)];
}

/** What must hold in every state of a model in which no machine was lost. */
function violationsIn(model: Model): readonly string[] {
  const unfinished = model.members.filter(({ isLearner, name }) => isLearner && name !== "");
  const voters = model.members.filter(({ isLearner }) => !isLearner);
  const isAlive = ({ name }: MemberView): boolean =>
    model.machines.some((one) => one.name === name && one.stage !== "released");
  const updating = model.machines.filter(({ stage }) => stage === "updating");
  const orphaned = voters.filter((one) => !isAlive(one));
  return [
    ...(unfinished.length > 1 ? [`${unfinished.length} members join at once`] : []),
    ...(updating.length > 1 ? [`${updating.length} machines are updated at once`] : []),
    ...(updating.some(({ name }) => voters.length > 1 && leads(model, name))
      ? ["the leader of etcd is updated"]
      : []),
    ...(orphaned.length > 0 ? [`member ${orphaned[0]?.name} is left behind`] : []),
    ...(model.machines.length > model.replicas + 1 && model.machines.every(({ isLost }) => !isLost)
      ? violationOfSurge(model)
      : []),
  ];
}

function leads({ members, leader }: Model, name: string): boolean {
  return members.some((one) => one.name === name && one.id === leader);
}

/** A smaller number of replicas takes effect one machine at a time. */
function violationOfSurge(model: Model): readonly string[] {
  const booting = model.machines.some(({ stage }) => stage === "booting");
  return booting ? [`${model.machines.length} machines for ${model.replicas} replicas`] : [];
}
