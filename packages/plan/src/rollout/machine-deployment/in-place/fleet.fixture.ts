/** A MachineDeployment that updates in place, in memory: its MachineSets, machines and updaters act in any order. */
import { createRng, type Rng } from "@capstan/env";
import { planMachineSet } from "../../machine-set/plan.ts";
import type { MachineSetView } from "../../machine-set/view.ts";
import { type DeploymentPlan, planDeployment } from "../plan.ts";
import type { DeploymentView, InPlaceMachine, SetUpdateVerdict, SetView } from "../view.ts";

/** A machine at the beginning. */
type Start = "available" | "broken" | "lost" | "updating" | "deleting" | "starting" | "unhealthy";

/** What a run begins with. */
export interface FleetStory {
  readonly seed: number;
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly fallback: { readonly maxSurge: number; readonly maxUnavailable: number } | undefined;
  /** The sets from the oldest to the newest; the last one has the template if `isLastUpToDate`. */
  readonly sets: readonly {
    readonly machines: readonly Start[];
    /** How many replicas more or fewer than machines the set has. */
    readonly missing: number;
    readonly verdict: "Covered" | "Uncovered";
  }[];
  readonly isLastUpToDate: boolean;
  /** How often a user deletes a machine while the rollout runs. */
  readonly deletions: number;
}

interface FleetMachine {
  readonly name: string;
  readonly createdMs: number;
  readonly isOriginal: boolean;
  set: string;
  state: InPlaceMachine["state"];
  isAvailable: boolean;
  isMarked: boolean;
  /** It was marked to be replaced: whatever becomes of it meanwhile, it goes. */
  isCondemned: boolean;
  /** It never gets a Node. */
  isBroken: boolean;
  hadNode: boolean;
  /** Its Node is on its way to be Ready. */
  isSettling: boolean;
}

interface FleetSet {
  readonly name: string;
  readonly createdMs: number;
  readonly verdict: SetUpdateVerdict["result"] | "UpToDate";
  replicas: number;
  receives: readonly string[];
  handsOver: readonly string[];
  hasSpare: boolean;
  status: Pick<SetView, "current" | "deleting" | "available">;
}

/** How a run ended. */
export interface FleetResult {
  readonly violations: readonly string[];
  readonly log: readonly string[];
  /** The machines of each set at the end. */
  readonly end: Readonly<Record<string, number>>;
  readonly available: number;
  /** How many machines of the beginning that had a Node are left. */
  readonly kept: number;
  /** How many machines were updated at once, at most. */
  readonly mostUpdating: number;
  readonly blocked: readonly string[];
}

const START_STATES: Readonly<Record<Start, InPlaceMachine["state"]>> = {
  available: "ready",
  broken: "starting",
  lost: "ready",
  updating: "updating",
  deleting: "deleting",
  starting: "starting",
  unhealthy: "unhealthy",
};

const TURNS_AT_MOST = 4_000;
const NEW = "new";

class FleetRun {
  readonly violations: string[] = [];
  readonly log: string[] = [];
  readonly #story: FleetStory;
  readonly #rng: Rng;
  #sets: FleetSet[];
  #machines: FleetMachine[];
  #serial = 0;
  #nowMs = 1_000;
  #best = 0;
  #mostUpdating = 0;
  #deletions: number;
  readonly #ceiling: number;

  constructor(story: FleetStory) {
    this.#story = story;
    this.#rng = createRng(String(story.seed), "fleet");
    this.#deletions = story.deletions;
    const named = story.sets.map((set, at) => ({ ...set, name: this.#nameOf(at), at }));
    this.#machines = named.flatMap(({ name, machines }) =>
      machines.map((start) => this.#machine(name, start)),
    );
    this.#sets = named.map(({ name, at, missing, verdict, machines }) => ({
      name,
      createdMs: at,
      verdict: name === NEW ? ("UpToDate" as const) : verdict,
      replicas: Math.max(machines.filter((one) => one !== "deleting").length + missing, 0),
      receives: [],
      handsOver: [],
      hasSpare: false,
      status: { current: 0, deleting: 0, available: 0 },
    }));
    for (const set of this.#sets) set.status = this.#statusOf(set);
    const { replicas, maxSurge, maxUnavailable, fallback } = story;
    const surge = Math.max(maxUnavailable === 0 ? Math.min(maxSurge, 1) : 0, fallback?.maxSurge ?? 0);
    const desired = this.#sets.reduce((sum, set) => sum + Math.max(set.replicas, set.status.current), 0);
    this.#ceiling = Math.max(desired, replicas + surge);
  }

  #nameOf(at: number): string {
    return this.#story.isLastUpToDate && at === this.#story.sets.length - 1 ? NEW : `old${at}`;
  }

  #machine(set: string, start: Start): FleetMachine {
    const state = START_STATES[start];
    return {
      name: `${set}-${++this.#serial}`,
      createdMs: this.#serial,
      isOriginal: true,
      set,
      state,
      isAvailable: start === "available",
      isMarked: false,
      isCondemned: false,
      isBroken: start === "broken",
      isSettling: false,
      hadNode: start === "available" || start === "lost" || start === "updating",
    };
  }

  settle(): DeploymentPlan {
    for (let turn = 0; turn < TURNS_AT_MOST; turn++) {
      const events = this.#events();
      const [first] = events;
      if (!first) return planDeployment(this.#view());
      this.#nowMs += 1_000;
      this.#rng.pick(events)();
      this.#check();
    }
    this.violations.push("the rollout does not come to rest");
    return planDeployment(this.#view());
  }

  #events(): (() => void)[] {
    const plan = planDeployment(this.#view());
    const deployment = this.#isActing(plan) ? [() => this.#act(plan)] : [];
    const sets = this.#sets.filter((set) => this.#isBusy(set)).map((set) => () => this.#sync(set));
    const machines = this.#machines.filter(canAdvance).map((machine) => () => this.#advance(machine));
    const events = [...deployment, ...sets, ...machines];
    if (events.length === 0) return this.#lost().map((machine) => () => this.#delete(machine));
    if (this.#deletions > 0 && events.length > 0) events.push(() => this.#deleteByUser());
    return events;
  }

  #isActing({ actions, records }: DeploymentPlan): boolean {
    const isChanged = this.#sets.some((set) => {
      const { receives, handsOver, hasSpare } = records?.get(set.name) ?? set;
      return (
        JSON.stringify([receives, handsOver, hasSpare]) !==
        JSON.stringify([set.receives, set.handsOver, set.hasSpare])
      );
    });
    return isChanged || actions.some(({ action }) => action !== "Wait");
  }

  /** Carries a plan out as the controller does, up to a crash. */
  #act(plan: DeploymentPlan): void {
    for (const { action, targets, detail, why } of plan.actions)
      if (action !== "Wait") this.log.push(`${action} ${targets.join()} ${JSON.stringify(detail)}: ${why}`);
    const writes = [...this.#firstWrites(plan), ...this.#setWrites(plan), ...this.#lastWrites(plan)];
    const isCrash = this.#rng.next() < 0.2;
    for (const write of isCrash ? writes.slice(0, this.#rng.below(writes.length + 1)) : writes) write();
  }

  #firstWrites({ actions, records }: DeploymentPlan): (() => void)[] {
    return actions.flatMap(({ action, targets: [name = ""], detail }) => {
      if (action === "MarkMachine")
        return [() => this.#update(name, { isMarked: true, isCondemned: detail.cause !== "Spare" })];
      if (action !== "CreateMachineSet") return [];
      return [() => this.#createSet(name, detail.replicas, records?.get(name)?.hasSpare)];
    });
  }

  #setWrites({ actions, records, target }: DeploymentPlan): (() => void)[] {
    const sizes = new Map(
      actions.flatMap((one) =>
        one.action === "ScaleMachineSet" ? [[one.targets[0], one.detail.to] as const] : [],
      ),
    );
    return this.#sets
      .toSorted((a, b) => Number(b.name === target) - Number(a.name === target))
      .map((set) => () => {
        Object.assign(set, { replicas: sizes.get(set.name) ?? set.replicas }, records?.get(set.name));
      });
  }

  #lastWrites({ actions }: DeploymentPlan): (() => void)[] {
    return actions.flatMap(({ action, targets: [name = ""], detail }) => {
      if (action === "MoveMachine")
        return [
          () =>
            this.#update(name, { set: detail.to, state: "updating", isAvailable: false, isSettling: false }),
        ];
      if (action !== "DeleteMachineSet") return [];
      return [() => void (this.#sets = this.#sets.filter((set) => set.name !== name))];
    });
  }

  #update(name: string, change: Partial<FleetMachine>): void {
    const machine = this.#machines.find((one) => one.name === name);
    if (machine && machine.state !== "deleting") Object.assign(machine, change);
  }

  #createSet(name: string, replicas: number, hasSpare = false): void {
    const status = { current: 0, deleting: 0, available: 0 };
    const fresh = { receives: [], handsOver: [], hasSpare, status };
    this.#sets.push({ name, createdMs: this.#nowMs, verdict: "UpToDate", replicas, ...fresh });
  }

  #sync(set: FleetSet): void {
    for (const { action, targets, detail } of planMachineSet(this.#setView(set)).actions) {
      if (action === "CreateMachine") for (let made = 0; made < detail.count; made++) this.#create(set);
      const machine = this.#machines.find(({ name }) => name === targets[0]);
      if ((action !== "DeleteMachine" && action !== "Remediate") || !machine) continue;
      this.log.push(`  ${set.name} deletes ${machine.name} ${machine.state}`);
      Object.assign(machine, { state: "deleting", isAvailable: false, isSettling: false });
    }
    set.status = this.#statusOf(set);
  }

  #create(set: FleetSet): void {
    // A template that never worked does not work for another machine either.
    const own = this.#machines.filter((one) => one.set === set.name);
    const isBroken = set.verdict !== "UpToDate" && own.every((one) => !one.hadNode);
    const name = `${set.name}-${++this.#serial}`;
    const fresh = {
      isOriginal: false,
      state: "starting",
      isAvailable: false,
      isMarked: false,
      isCondemned: false,
      hadNode: false,
      isSettling: false,
    } as const;
    this.#machines.push({ ...fresh, name, createdMs: this.#nowMs, set: set.name, isBroken });
  }

  #advance(machine: FleetMachine): void {
    if (machine.state === "deleting") this.#machines = this.#machines.filter((one) => one !== machine);
    else if (machine.isSettling) Object.assign(machine, { isAvailable: true, isSettling: false });
    else Object.assign(machine, { state: "ready", hadNode: true, isSettling: true });
  }

  #deleteByUser(): void {
    this.#deletions--;
    const alive = this.#machines.filter(({ state }) => state !== "deleting");
    if (alive.length > 0) this.#delete(this.#rng.pick(alive));
  }

  /** Machines without their Node that no update brings back: a user or a health check deletes them. */
  #lost(): FleetMachine[] {
    const isUpdated = (name: string): boolean =>
      this.#sets.some((set) => set.name === name && set.verdict === "Covered");
    return this.#machines.filter(
      ({ state, isAvailable, isBroken, isSettling, set }) =>
        (state === "ready" && !isAvailable && !isSettling && !isUpdated(set)) ||
        (state === "starting" && isBroken && set === NEW),
    );
  }

  #delete(machine: FleetMachine): void {
    this.log.push(`* a user deletes ${machine.name}`);
    Object.assign(machine, {
      state: "deleting",
      isAvailable: false,
      isSettling: false,
      isOriginal: false,
    });
    this.#best = this.#available() - this.#committed();
  }

  #check(): void {
    const available = this.#available();
    const { replicas, maxUnavailable, fallback } = this.#story;
    const floor = replicas - Math.max(maxUnavailable, fallback?.maxUnavailable ?? 0);
    if (available < Math.min(floor, this.#best)) {
      this.violations.push(`${available} available, at least ${floor}; it were ${this.#best}`);
      this.log.push("! too few available");
    }
    this.#best = Math.max(this.#best, available - this.#committed());
    const updating = this.#machines.filter(({ state }) => state === "updating").length;
    this.#mostUpdating = Math.max(this.#mostUpdating, updating);
    if (this.#machines.length > this.#ceiling)
      this.violations.push(`${this.#machines.length} machines, at most ${this.#ceiling}`);
  }

  /** How many machines are about to be moved or deleted by decisions from before a user's deletion. */
  #committed(): number {
    return this.#sets.reduce((sum, { name, replicas, receives, handsOver }) => {
      const own = this.#machines.filter(({ set, state }) => set === name && state !== "deleting");
      return sum + receives.length + Math.max(own.length - handsOver.length - replicas, 0);
    }, 0);
  }

  /** A machine that was chosen to go counts no more, whatever becomes of it meanwhile. */
  #available(): number {
    return this.#machines.filter(({ isAvailable, isCondemned }) => isAvailable && !isCondemned).length;
  }

  result({ blocked }: DeploymentPlan): FleetResult {
    const end = this.#sets.map(
      ({ name }) => [name, this.#machines.filter(({ set }) => set === name).length] as const,
    );
    return {
      violations: this.violations,
      log: this.log,
      end: Object.fromEntries(end.filter(([, count]) => count > 0)),
      available: this.#available(),
      kept: this.#machines.filter(({ isOriginal, hadNode }) => isOriginal && hadNode).length,
      mostUpdating: this.#mostUpdating,
      blocked: blocked.map(({ reason }) => reason),
    };
  }

  #view(): DeploymentView {
    const { replicas, maxSurge, maxUnavailable, fallback } = this.#story;
    const sets = this.#sets.map(({ verdict, status, ...set }, revision) => ({
      ...set,
      ...status,
      revision,
      isUpToDate: verdict === "UpToDate",
      isDeleting: false,
    }));
    const machines = this.#machines.map(viewOf);
    const occupied = new Set(
      machines
        .filter(({ state }) => state === "ready" || state === "updating" || state === "failed")
        .map(({ set }) => set),
    );
    const verdicts = this.#sets.flatMap(({ name, verdict }) =>
      verdict === "UpToDate" || !occupied.has(name)
        ? []
        : [[name, { result: verdict, updaters: ["u"], why: "" }] as const],
    );
    return {
      namespace: "default",
      name: "workers",
      replicas,
      strategy: "RollingUpdate",
      maxSurge,
      maxUnavailable,
      sets,
      keptRevisions: 0,
      inPlace: {
        isChosen: true,
        machines,
        verdicts: new Map(verdicts),
        ...(fallback && { fallback }),
        preflight: [],
      },
      newSetName: NEW,
      whyNewSet: "the template has changed",
    };
  }

  #setView({ name, replicas, receives, handsOver }: FleetSet): MachineSetView {
    const own = this.#machines.filter((one) => one.set === name);
    const counted = own.filter((one) => !handsOver.includes(one.name) || one.state === "deleting");
    return {
      namespace: "default",
      name,
      replicas,
      deletePolicy: "Random",
      machines: counted.map((one) => ({
        name: one.name,
        createdMs: one.createdMs,
        isAvailable: one.isAvailable,
        isDeleting: one.state === "deleting",
        hasDeleteAnnotation: one.isMarked,
        isUpdating: one.state === "updating" || one.state === "failed",
        isUnhealthy: isFirstToGo(one),
        ...(one.state === "unhealthy" && { remediation: "Unhealthy" as const }),
      })),
      creating: [],
      arriving: receives.filter((machine) => this.#machines.some((one) => one.name === machine)),
      isCreateDisabled: false,
      isCurrent: name === NEW,
      preflight: [],
      nowMs: this.#nowMs,
    };
  }

  #isBusy(set: FleetSet): boolean {
    const isActing = planMachineSet(this.#setView(set)).actions.some(({ action }) => action !== "Wait");
    return isActing || JSON.stringify(this.#statusOf(set)) !== JSON.stringify(set.status);
  }

  #statusOf({ name }: Pick<FleetSet, "name">): FleetSet["status"] {
    const own = this.#machines.filter(({ set }) => set === name);
    return {
      current: own.length,
      deleting: own.filter(({ state }) => state === "deleting").length,
      available: own.filter(({ isAvailable }) => isAvailable).length,
    };
  }
}

function isFirstToGo({ state, isAvailable }: FleetMachine): boolean {
  return state !== "ready" || !isAvailable;
}

function viewOf(machine: FleetMachine): InPlaceMachine {
  const view = { ...machine, isFirstToGo: isFirstToGo(machine) };
  return machine.isCondemned && machine.state !== "deleting"
    ? { ...view, state: "starting", isAvailable: false }
    : view;
}

function canAdvance({ state, isBroken, isSettling }: FleetMachine): boolean {
  return isSettling || state === "deleting" || state === "updating" || (state === "starting" && !isBroken);
}

/** Runs until nothing happens any more. */
export function runFleet(story: FleetStory): FleetResult {
  const run = new FleetRun(story);
  return run.result(run.settle());
}
