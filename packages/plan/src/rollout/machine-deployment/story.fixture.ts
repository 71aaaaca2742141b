/** Runs a rollout in memory: one MachineDeployment, its MachineSets and machines, each acting in any order. */
import { createRng, type Rng } from "@capstan/env";
import { planMachineSet } from "../machine-set/plan.ts";
import type { MachineSetView } from "../machine-set/view.ts";
import { planDeployment } from "./plan.ts";
import type { DeploymentView, SetView } from "./view.ts";

/** One step of a story: what a user or the world does before everything runs until nothing changes. */
type Step =
  | { readonly template: string }
  | { readonly replicas: number }
  | { readonly paused: boolean }
  /** So many machines of the newest template stop being available. */
  | { readonly breaks: number }
  /** The user deletes so many machines of the oldest template. */
  | { readonly deletes: number };

/** A story in data. */
export interface Story {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly strategy?: "RollingUpdate" | "OnDelete";
  readonly keptRevisions?: number;
  readonly steps: readonly Step[];
}

interface SimMachine {
  readonly name: string;
  readonly createdMs: number;
  isAvailable: boolean;
  isDeleting: boolean;
  /** It never becomes available again. */
  isBroken: boolean;
}

interface SimSet {
  readonly name: string;
  readonly template: string;
  readonly createdMs: number;
  replicas: number;
  machines: SimMachine[];
  /** What the MachineSet reports; it may lag behind. */
  status: Pick<SetView, "current" | "deleting" | "available">;
}

/** The result of a story. */
export interface StoryResult {
  readonly log: readonly string[];
  readonly violations: readonly string[];
  readonly end: readonly string[];
}

const TURNS_AT_MOST = 5_000;

class SimDeployment {
  readonly log: string[] = [];
  readonly violations: string[] = [];
  readonly #story: Story;
  readonly #rng: Rng | undefined;
  #sets: SimSet[] = [];
  #template = "a";
  #replicas: number;
  #isPaused = false;
  #serial = 0;
  #nowMs = 0;
  /** Between a change of the desired state and its end these bounds do not hold. */
  #floor = 0;
  #ceiling: number;

  constructor(story: Story, seed: number | undefined) {
    this.#story = story;
    this.#replicas = story.replicas;
    this.#ceiling = story.replicas + story.maxSurge;
    this.#rng = seed === undefined ? undefined : createRng(String(seed), "story");
  }

  take(step: Step): void {
    this.log.push(`* ${JSON.stringify(step)}`);
    if ("template" in step) this.#template = step.template;
    if ("paused" in step) this.#isPaused = step.paused;
    if ("replicas" in step) this.#replicas = step.replicas;
    if ("breaks" in step) this.#break(step.breaks);
    if ("deletes" in step) this.#delete(step.deletes);
    const { maxSurge, maxUnavailable } = this.#story;
    const total = this.#machines().length;
    this.#floor = Math.min(this.#replicas - maxUnavailable, this.#available());
    this.#ceiling = Math.max(this.#replicas + maxSurge, total);
  }

  /** Runs until no part has anything to do. */
  settle(): void {
    for (let turn = 0; turn < TURNS_AT_MOST; turn++) {
      const moves = this.#moves();
      if (moves.length === 0) return;
      const move = this.#rng ? this.#rng.pick(moves) : moves[0];
      this.#nowMs += 1_000;
      move?.();
      this.#check();
    }
    this.violations.push("the story does not come to rest");
  }

  end(): readonly string[] {
    return this.#sets
      .filter(({ machines, replicas }) => machines.length + replicas > 0)
      .map(({ template, machines, replicas }) => `template ${template}: ${machines.length} of ${replicas}`)
      .toSorted();
  }

  #moves(): (() => void)[] {
    const plan = planDeployment(this.#view());
    const isActing = plan.actions.some(({ action }) => action !== "Wait");
    return [
      ...(isActing ? [() => this.#rollOut(plan)] : []),
      ...this.#sets.filter((set) => this.#isSetBusy(set)).map((set) => () => this.#syncSet(set)),
      ...this.#machines()
        .filter(({ isDeleting, isAvailable, isBroken }) => isDeleting || (!isAvailable && !isBroken))
        .map((machine) => () => this.#advance(machine)),
    ];
  }

  #rollOut({ actions }: ReturnType<typeof planDeployment>): void {
    for (const { action, targets, detail, why } of actions) {
      const [name = ""] = targets;
      if (action === "Wait") continue;
      this.log.push(`  ${action} ${this.#label(name)} ${JSON.stringify(detail)}: ${why}`);
      if (action === "CreateMachineSet") this.#createSet(name, detail.replicas);
      if (action === "DeleteMachineSet") this.#sets = this.#sets.filter((set) => set.name !== name);
      const set = this.#sets.find((one) => one.name === name);
      if (action === "ScaleMachineSet" && set) set.replicas = detail.to;
    }
  }

  #createSet(name: string, replicas: number): void {
    const status = { current: 0, deleting: 0, available: 0 };
    const set = { name, template: this.#template, createdMs: this.#nowMs, replicas, machines: [], status };
    this.#sets.push(set);
  }

  #syncSet(set: SimSet): void {
    for (const { action, targets, detail } of planMachineSet(this.#setView(set)).actions) {
      if (action === "CreateMachine")
        for (let made = 0; made < detail.count; made++) this.#createMachine(set);
      const machine = set.machines.find(({ name }) => name === targets[0]);
      if (action === "DeleteMachine" && machine) machine.isDeleting = true;
    }
    set.status = statusOf(set);
  }

  #createMachine(set: SimSet): void {
    const name = `${set.template}${++this.#serial}`;
    const createdMs = this.#nowMs;
    set.machines.push({ name, createdMs, isAvailable: false, isDeleting: false, isBroken: false });
  }

  #advance(machine: SimMachine): void {
    if (!machine.isDeleting) {
      machine.isAvailable = true;
      return;
    }
    for (const set of this.#sets) set.machines = set.machines.filter((one) => one !== machine);
  }

  #isSetBusy(set: SimSet): boolean {
    const isActing = planMachineSet(this.#setView(set)).actions.some(({ action }) => action !== "Wait");
    return isActing || JSON.stringify(statusOf(set)) !== JSON.stringify(set.status);
  }

  #break(count: number): void {
    const machines = this.#sets
      .filter(({ template }) => template === this.#template)
      .flatMap((set) => set.machines);
    for (const machine of machines.slice(0, count))
      Object.assign(machine, { isAvailable: false, isBroken: true });
  }

  #delete(count: number): void {
    for (const machine of (this.#sets[0]?.machines ?? []).slice(0, count)) machine.isDeleting = true;
  }

  #check(): void {
    const available = this.#available();
    const total = this.#machines().length;
    if (total > this.#ceiling) this.violations.push(`${total} machines, at most ${this.#ceiling}`);
    if (available < this.#floor) this.violations.push(`${available} available, at least ${this.#floor}`);
  }

  #available(): number {
    return this.#machines().filter(({ isAvailable, isDeleting }) => isAvailable && !isDeleting).length;
  }

  #machines(): SimMachine[] {
    return this.#sets.flatMap(({ machines }) => machines);
  }

  #label(name: string): string {
    return name.replace("workers-", "");
  }

  #view(): DeploymentView {
    const { maxSurge, maxUnavailable, strategy = "RollingUpdate" } = this.#story;
    const why = "spec.paused is true";
    return {
      namespace: "default",
      name: "workers",
      replicas: this.#replicas,
      strategy,
      maxSurge,
      maxUnavailable,
      ...(this.#isPaused && { hold: { reason: "RolloutPaused", why } }),
      keptRevisions: this.#story.keptRevisions ?? 0,
      sets: this.#sets.map((set, index) => ({
        ...set.status,
        revision: index,
        name: set.name,
        createdMs: set.createdMs,
        replicas: set.replicas,
        isUpToDate: set.template === this.#template,
        isDeleting: false,
        receives: [],
        handsOver: [],
      })),
      newSetName: `workers-${this.#template}`,
      whyNewSet: `template ${this.#template}`,
    };
  }

  #setView({ name, replicas, machines }: SimSet): MachineSetView {
    return {
      namespace: "default",
      name,
      replicas,
      deletePolicy: "Oldest",
      machines: machines.map((machine) => ({
        ...machine,
        hasDeleteAnnotation: false,
        isUpdating: false,
        isUnhealthy: !machine.isAvailable,
      })),
      creating: [],
      arriving: [],
      isCreateDisabled: this.#story.strategy === "OnDelete" && !name.endsWith(`-${this.#template}`),
      isCurrent: true,
      preflight: [],
      nowMs: this.#nowMs,
    };
  }
}

function statusOf({ machines }: SimSet): SimSet["status"] {
  return {
    current: machines.length,
    deleting: machines.filter(({ isDeleting }) => isDeleting).length,
    available: machines.filter(({ isAvailable, isDeleting }) => isAvailable && !isDeleting).length,
  };
}

/** Runs a story: with a seed in a random order of events, without one always the first possible event. */
export function runStory(story: Story, seed?: number): StoryResult {
  const deployment = new SimDeployment(story, seed);
  deployment.settle();
  for (const step of story.steps) {
    deployment.take(step);
    deployment.settle();
  }
  return { log: deployment.log, violations: deployment.violations, end: deployment.end() };
}
