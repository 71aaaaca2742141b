import type { Answer } from "../arm/answer.ts";
import type { Core } from "../core/core.ts";
import type { SimClock } from "../core/sim-clock.ts";
import { ARM_AUDIENCES } from "../entra/tokens.ts";
import type { FaultRule } from "../faults/fault.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { Prohibition } from "../policies/policies.ts";
import { type CloudState, stateOf } from "./state.ts";

const API_VERSION = "2025-04-01";

/** What happens from outside of ARM: time, faults, and other people who use the portal. */
export class Control {
  readonly #core: Core;
  readonly #clock: SimClock;
  readonly #changed: () => void;

  constructor(core: Core, clock: SimClock, changed: () => void) {
    this.#core = core;
    this.#clock = clock;
    this.#changed = changed;
  }

  get nowMs(): number {
    return this.#clock.now();
  }

  get speed(): number {
    return this.#clock.speed;
  }

  get seed(): string {
    return this.#core.world.seed;
  }

  /** Skips time: everything due in it happens at once. */
  advance(byMs: number): void {
    this.#clock.advance(byMs);
    this.#core.advance(this.#clock.now());
    this.#changed();
  }

  /** Makes the cloud live so many times as fast as its callers. */
  setSpeed(speed: number): void {
    this.#clock.setSpeed(speed);
    this.#core.world.speed = speed;
    this.#changed();
  }

  addFault(rule: FaultRule): void {
    this.#core.world.faults.add(rule);
    this.#changed();
  }

  removeFault(id: string): void {
    this.#core.world.faults.remove(id);
    this.#changed();
  }

  faults(): readonly FaultRule[] {
    return this.#core.world.faults.list();
  }

  /** A lock, or a policy that denies. */
  forbid(prohibition: Prohibition): void {
    this.#core.world.policies.add(prohibition);
    this.#changed();
  }

  /** Takes a prohibition back. */
  allow(name: string): void {
    this.#core.world.policies.remove(name);
    this.#changed();
  }

  prohibitions(): readonly Prohibition[] {
    return this.#core.world.policies.list();
  }

  journal(since = 0): readonly JournalEntry[] {
    return this.#core.journal.since(since);
  }

  get journalHash(): string {
    return this.#core.journal.hash;
  }

  state(): CloudState {
    return stateOf(this.#core.world);
  }

  /** Somebody deletes a virtual machine in the portal. */
  deleteInstance(scaleSetId: string, instanceId: string): Answer {
    return this.#asOperator("DELETE", `${scaleSetId}/virtualMachines/${instanceId}`);
  }

  /** Azure takes a spot machine back. */
  evict(scaleSetId: string, instanceId: string): Answer {
    return this.#asOperator("POST", `${scaleSetId}/virtualMachines/${instanceId}/simulateEviction`);
  }

  /** Somebody else changes the size of a set. */
  setCapacity(scaleSetId: string, capacity: number): Answer {
    return this.#asOperator("PATCH", scaleSetId, { sku: { capacity } });
  }

  /** A request of the operator's: by the same rules as everybody's, under a name of its own in the journal. */
  #asOperator(method: string, id: string, body?: unknown): Answer {
    const { tokens } = this.#core;
    const nowMs = this.#clock.now();
    const { token } = tokens.issue(tokens.operator, ARM_AUDIENCES[0] ?? "", { nowMs, speed: 1 });
    const headers = { authorization: `Bearer ${token}` };
    const answer = this.#core.handle(
      { method, path: `${id}?api-version=${API_VERSION}`, headers, body },
      nowMs,
    );
    this.#changed();
    return answer;
  }
}
