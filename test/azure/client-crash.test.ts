import type { Operation } from "@capstan/api";
import type { Fate, HttpResponse } from "@capstan/env";
import {
  advance,
  instanceActions,
  instanceEvidence,
  isGone,
  ScaleSetInstances,
  type Task,
  type DesiredOperation,
} from "@capstan/azure";
import { describe, expect, test } from "vitest";
import { ClientWorld, LOCATION, model, scaleSetID } from "./client-world.ts";

const POOL = scaleSetID("pool");
const CREATE: DesiredOperation = { verb: "PUT", resourceID: POOL, body: model(3), isNew: true };
const [UPGRADE] = instanceActions(POOL, "manualupgrade", ["0", "1"]);
const [DELETE] = instanceActions(POOL, "delete", ["0", "1"]);

interface Crash {
  readonly message: number;
  readonly fate: "crashBefore" | "crashAfter";
}

/** Runs an operation with a controller that keeps its record on a server, and crashes at one point. */
class CrashingWorld {
  readonly world: ClientWorld;
  readonly #crash: Crash | undefined;
  #isCounting = false;
  messages = 0;
  record: Operation | undefined;

  constructor(crash?: Crash) {
    this.#crash = crash;
    // Reads do not show a write at once, as in the real Azure.
    const settings = { consistencyLag: { p50: 6, p90: 9 } };
    this.world = new ClientWorld({ settings, link: { fate: () => this.#fate() } });
  }

  /** A process that does not crash creates the initial state. */
  async begin(isNew: boolean): Promise<void> {
    await this.world.prepare();
    if (!isNew) {
      await this.world.perform(CREATE);
      const body = model(3, { version: "22.04.202511010" });
      await this.world.perform({ verb: "PUT", resourceID: POOL, body });
    }
    this.#isCounting = true;
  }

  async finish(desired: DesiredOperation): Promise<void> {
    const { world } = this;
    for (let start = 0; start < 3; start++) {
      let isContent = false;
      this.#reconcile(desired).then(
        () => {
          isContent = true;
        },
        (error: unknown) => world.scheduler.fail(error),
      );
      await world.scheduler.run({ until: () => isContent || world.process.crashed });
      if (isContent) return;
      await world.scheduler.advance(3000);
      world.restart();
    }
    throw new Error("the controller never came to an end");
  }

  async #reconcile(desired: DesiredOperation): Promise<void> {
    const { world } = this;
    const { clock } = world.process;
    const arm = world.arm();
    const list = new ScaleSetInstances(arm, clock);
    const evidence = instanceEvidence((id) => list.list(id, { maxAgeMs: 0 }));
    const status = world.process.connect(
      ({ body }) => {
        this.record = body as Operation | undefined;
        return Promise.resolve({ status: 200 } as HttpResponse);
      },
      { fate: () => this.#fate() },
    );
    const persist: Task["persist"] = async (record) => {
      await status.request({ method: "PUT", path: "/status", headers: {}, body: record });
    };
    while (this.record || !(await this.#isDone(desired, { arm, list }))) {
      const task = { record: this.record, desired, persist, evidence, location: LOCATION };
      const progress = await advance({ arm, clock }, task);
      await clock.sleep(progress.isDone ? 1000 : progress.retryAfterMs);
    }
  }

  /** The check of a reconciler before it decides: does the resource already match? */
  async #isDone(
    desired: DesiredOperation,
    { arm, list }: { readonly arm: ReturnType<ClientWorld["arm"]>; readonly list: ScaleSetInstances },
  ): Promise<boolean> {
    if (desired.verb !== "POST") {
      const isThere = await arm.get(POOL).then(
        () => true,
        (error: unknown) => !isGone(error),
      );
      return isThere === (desired.verb === "PUT");
    }
    const touched = (await list.list(POOL, { maxAgeMs: 0 })).filter(({ instanceID }) =>
      desired.instanceIDs?.includes(instanceID),
    );
    return desired.action === "delete"
      ? touched.length === 0
      : touched.every(({ isLatestModel }) => isLatestModel);
  }

  #fate(): Fate {
    if (!this.#isCounting) return "deliver";
    return this.#crash && this.messages++ === this.#crash.message ? this.#crash.fate : this.#counted();
  }

  #counted(): Fate {
    if (!this.#crash) this.messages++;
    return "deliver";
  }

  /** The writes to Azure since the start. */
  writes(path: string, method: string): number {
    const entries = this.world.sim.control.journal();
    return entries.filter(
      (entry) => entry.method === method && entry.path.toLowerCase() === path.toLowerCase(),
    ).length;
  }
}

describe.each<[string, DesiredOperation | undefined, { method: string; path: string; isNew: boolean }]>([
  ["creation", CREATE, { method: "PUT", path: POOL, isNew: true }],
  ["deletion", { verb: "DELETE", resourceID: POOL }, { method: "DELETE", path: POOL, isNew: false }],
  ["upgrade of instances", UPGRADE, { method: "POST", path: `${POOL}/manualupgrade`, isNew: false }],
  ["deletion of instances", DELETE, { method: "POST", path: `${POOL}/delete`, isNew: false }],
])("a process that dies during the %s", (_, desired, { method, path, isNew }) => {
  test("is sent to Azure once, with a crash at any point", async () => {
    if (!desired) throw new Error("nothing is wanted");
    const calm = new CrashingWorld();
    await calm.begin(isNew);
    await calm.finish(desired);
    expect(calm.writes(path, method)).toBe(1);
    expect(calm.messages).toBeGreaterThan(6);
    for (let message = 0; message < calm.messages; message++) {
      for (const fate of ["crashBefore", "crashAfter"] as const) {
        const crashing = new CrashingWorld({ message, fate });
        await crashing.begin(isNew);
        await crashing.finish(desired);
        expect([message, fate, crashing.writes(path, method), crashing.record]).toEqual([
          message,
          fate,
          1,
          undefined,
        ]);
      }
    }
  });
});
