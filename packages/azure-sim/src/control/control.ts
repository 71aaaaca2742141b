import type { AdjustableClock, Clock } from "@capstan/env";
import type { Answer } from "../arm/answer.ts";
import { ArmError } from "../arm/errors.ts";
import type { Core } from "../core/core.ts";
import type { MachineDisk } from "../disks/machine-disk.ts";
import { ARM_AUDIENCES } from "../entra/tokens.ts";
import type { FaultRule } from "../faults/fault.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { Prohibition } from "../policies/policies.ts";
import type { AzureSettings } from "../settings.ts";
import { type CloudState, stateOf } from "./state.ts";

const API_VERSION = "2025-04-01";
/** The newest of them, in a refusal. */
const VERSIONS_SHOWN = 5;

interface Parts {
  readonly time: Clock;
  /** The same clock, where it can be changed. */
  readonly clock?: AdjustableClock;
  /** Runs after each change. */
  readonly changed: () => void;
}

/** Control from outside ARM: time, faults, and operators who use the portal. */
export class Control {
  readonly #core: Core;
  readonly #time: Clock;
  readonly #clock: AdjustableClock | undefined;
  readonly #changed: () => void;

  constructor(core: Core, { time, clock, changed }: Parts) {
    this.#core = core;
    this.#time = time;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The cloud's time, in whole milliseconds since the epoch. */
  get nowMs(): number {
    return Math.floor(this.#time.now());
  }

  /** How many times faster the cloud's clock runs than that of callers from outside. */
  get speed(): number {
    return this.#clock?.speed ?? 1;
  }

  /** The time of callers from outside. */
  get callerMs(): number {
    return Math.floor((this.#clock?.base ?? this.#time).now());
  }

  get seed(): string {
    return this.#core.world.seed;
  }

  /** Skips time: everything that is due within it happens at once. */
  advance(byMs: number): void {
    this.#adjust((clock) => clock.advance(byMs));
    this.#core.advance(this.nowMs);
    this.#changed();
  }

  /** Sets how many times faster the cloud's clock runs than that of its callers. */
  setSpeed(speed: number): void {
    this.#adjust((clock) => clock.setSpeed(speed));
  }

  /** How long reads miss new resources, as a log-normal in seconds; undefined means no lag. */
  setConsistencyLag(lag: AzureSettings["consistencyLag"] | undefined): void {
    this.#core.world.consistencyLag = lag;
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

  /** Adds a lock, or a policy that denies. */
  forbid(prohibition: Prohibition): void {
    this.#core.world.policies.add(prohibition);
    this.#changed();
  }

  /** Removes a lock or a policy. */
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

  /** An operator deletes a resource or an instance in the portal, by its ARM id. */
  deleteResource(id: string): Answer {
    return this.#asOperator("DELETE", id);
  }

  /** An operator stops a virtual machine in the portal. */
  stopMachine(id: string): Answer {
    return this.#asOperator("POST", `${id}/poweroff`);
  }

  /** Azure takes a spot machine back. */
  evict(id: string): Answer {
    return this.#asOperator("POST", `${id}/simulateEviction`);
  }

  /** Another client resizes a scale set. */
  setCapacity(scaleSetId: string, capacity: number): Answer {
    return this.#asOperator("PATCH", scaleSetId, { sku: { capacity } });
  }

  /**
   * A file on the OS disk of a machine or in an image version, by its ARM id; undefined when the file does not exist. A path that
   * ends with a slash gives the paths of all files below it.
   */
  readFile(id: string, path: string): string | undefined {
    const disk = this.#imageOf(id) ?? this.#diskOf(id);
    if (!path.endsWith("/")) return disk.read(path);
    const paths = disk.list(path);
    return paths.length === 0 ? undefined : `${[...paths].sort().join("\n")}\n`;
  }

  /** Someone who is logged in on a machine writes a file. */
  writeFile(id: string, path: string, content: string): void {
    if (this.#imageOf(id))
      throw new ArmError(409, {
        code: "OperationNotAllowed",
        message: "An image cannot be changed; write to a machine.",
      });
    this.#diskOf(id).write(path, content);
    this.#changed();
  }

  /** The files of an image version; the version `latest` is the one that new machines get. */
  #imageOf(id: string): Pick<MachineDisk, "read" | "list"> | undefined {
    const [definition = "", version] = id.split(/\/versions\//i);
    if (version === undefined) return undefined;
    const known = this.#core.world.images.versionsOf(definition);
    const image =
      version === "latest"
        ? known.findLast(({ excludeFromLatest }) => excludeFromLatest !== true)
        : known.find((one) => one.version === version);
    if (image) {
      const { files = {} } = image;
      return {
        read: (path) => files[path],
        list: (folder) => Object.keys(files).filter((path) => path.startsWith(folder)),
      };
    }
    const versions = known.flatMap((one) => one.version ?? []).slice(-VERSIONS_SHOWN);
    const has = versions.length === 0 ? "it has none" : `it has ${versions.join(", ")}`;
    throw new ArmError(404, {
      code: "NotFound",
      message: `The image has no version '${version}'; ${has}.`,
    });
  }

  #diskOf(id: string): MachineDisk {
    const disk = this.#core.disk(id);
    if (disk) return disk;
    throw new ArmError(404, { code: "NotFound", message: `The machine '${id}' does not exist.` });
  }

  /** Sends a request as the operator: by the same rules as any caller's, under its own name in the journal. */
  #asOperator(method: string, id: string, body?: unknown): Answer {
    const { tokens } = this.#core;
    const { nowMs } = this;
    const { token } = tokens.issue(tokens.operator, ARM_AUDIENCES[0] ?? "", nowMs);
    const headers = { authorization: `Bearer ${token}` };
    const answer = this.#core.handle(
      { method, path: `${id}?api-version=${API_VERSION}`, headers, body },
      nowMs,
    );
    this.#changed();
    return answer;
  }

  #adjust(change: (clock: AdjustableClock) => void): void {
    if (!this.#clock) {
      const message = "This cloud shares the clock of its world; the control API cannot change it.";
      throw new ArmError(409, { code: "ClockNotAdjustable", message });
    }
    try {
      change(this.#clock);
    } catch (error) {
      const message = `The time could not be changed: ${(error as Error).message}`;
      throw new ArmError(500, { code: "InternalServerError", message });
    }
  }
}
