import type { Frozen, Operation } from "@capstan/api";
import { type Fate, VirtualProcess } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answer, Bench, SCALE_SET } from "../azure.fixture.ts";
import { type Arm, AzureError, isGone } from "../port.ts";
import { parseInstance, type ScaleSetInstance } from "../scale-set/instance.ts";
import { instanceEvidence } from "../scale-set/instance-evidence.ts";
import type { PostEvidence } from "./evidence.ts";
import { LittleAzure, type Trouble } from "./little-azure.fixture.ts";
import { advance, MOST_RECORD_BYTES, type OperationPorts, type Progress, type Task } from "./operations.ts";
import {
  bodyToSend,
  type DesiredChange,
  type DesiredOperation,
  type DesiredWrite,
} from "./desired-operation.ts";

const CREATE: DesiredWrite = {
  verb: "PUT",
  resourceID: SCALE_SET,
  body: { sku: { capacity: 3 } },
  isNew: true,
};
const UPDATE: DesiredWrite = {
  verb: "PUT",
  resourceID: SCALE_SET,
  body: { sku: { capacity: 5 } },
  etag: '"1"',
};

/** An operation to be done once, and how a reconciler sees that it has been. */
interface Story {
  readonly desired: DesiredOperation;
  readonly isNew?: boolean;
  /** How it shows after a crash; by the instances of the set unless given. */
  readonly evidence?: (arm: Arm) => PostEvidence;
  readonly isDone: (azure: LittleAzure, seen: { body: unknown; startMs: number }) => boolean;
}

const action = (name: "manualupgrade" | "reimage" | "delete"): DesiredOperation => ({
  verb: "POST",
  resourceID: SCALE_SET,
  action: name,
  instanceIDs: ["0", "1"],
});
const hasTags = (desired: DesiredWrite): Story["isDone"] => {
  const { tags } = bodyToSend(desired);
  return (_, { body }) =>
    JSON.stringify((body as { tags?: unknown } | undefined)?.tags) === JSON.stringify(tags);
};

const STORIES: Readonly<Record<string, Story>> = {
  create: { desired: CREATE, isNew: true, isDone: hasTags(CREATE) },
  update: { desired: UPDATE, isDone: hasTags(UPDATE) },
  remove: { desired: { verb: "DELETE", resourceID: SCALE_SET }, isDone: (_, { body }) => body === undefined },
  manualupgrade: {
    desired: action("manualupgrade"),
    isDone: ({ instances }) => instances.get("0")?.upgraded === true,
  },
  reimage: {
    desired: action("reimage"),
    isDone: ({ instances }, { startMs }) => (instances.get("0")?.provisionedAtMs ?? 0) > startMs,
  },
  delete: { desired: action("delete"), isDone: ({ instances }) => !instances.has("0") },
  "stop, a POST with evidence of its own": {
    desired: { verb: "POST", resourceID: SCALE_SET, action: "stop", body: { force: true } },
    evidence: stopEvidence,
    isDone: ({ isStopped }) => isStopped,
  },
};

/** Reads the resource itself, as an action of a single VM would. */
function stopEvidence(arm: Arm): PostEvidence {
  return async ({ resourceID }) => {
    const { body } = await arm.get(resourceID);
    const { isStopped, provisioningState } = body["properties"] as {
      readonly isStopped: boolean;
      readonly provisioningState: string;
    };
    if (!isStopped) return ["none"];
    return [provisioningState === "Updating" ? "running" : "done"];
  };
}

/** A controller that has one thing done, with its status on a server of its own. */
class OperationsTestBed {
  readonly azure = new LittleAzure(() => this.bench.scheduler.wallMs);
  readonly bench = new Bench((request) => this.azure.handle(request));
  readonly story: Story;
  readonly startMs = this.bench.scheduler.wallMs;
  record: Frozen<Operation> | undefined;
  messages = 0;
  fate: (message: number) => Fate = () => "deliver";

  constructor(story: Story) {
    this.story = story;
    if (!story.isNew) this.azure.create({}, ["0", "1", "2"]);
  }

  /** How many writes reached Azure, whatever became of them. */
  get sent(): number {
    return this.bench.requests.filter(({ method }) => method !== "GET").length;
  }

  /** Runs the controller until it is content; starts it again whenever it has crashed. */
  async run(): Promise<void> {
    for (let start = 0; start < 10; start++) {
      this.bench.process = new VirtualProcess(this.bench.scheduler, `start ${start}`);
      let isContent = false;
      this.#reconcile().then(
        () => {
          isContent = true;
        },
        (error: unknown) => this.bench.scheduler.fail(error),
      );
      await this.bench.scheduler.run({ until: () => isContent || this.bench.process.crashed });
      if (isContent) return;
      await this.bench.scheduler.advance(2000);
    }
    throw new Error("the controller never came to an end");
  }

  async #reconcile(): Promise<void> {
    const { bench } = this;
    const link = { fate: () => this.fate(this.messages++) };
    const arm = bench.arm({ link });
    const status = bench.process.connect(async ({ method, body }) => {
      if (method === "PUT") this.record = body as Operation | undefined;
      return answer(200);
    }, link);
    const instances = async (): Promise<readonly ScaleSetInstance[]> =>
      (await arm.list(`${SCALE_SET}/virtualMachines`)).items
        .map((item) => parseInstance(item))
        .filter((item) => item !== undefined);
    const ports: OperationPorts = { arm, clock: bench.process.clock };
    const evidence = this.story.evidence?.(arm) ?? instanceEvidence(instances);
    const persist = async (record: Frozen<Operation> | undefined): Promise<void> => {
      await status.request({ method: "PUT", path: "/", headers: {}, body: record });
    };
    for (;;) {
      const progress = await this.#pass(ports, { persist, evidence }).catch(tryLater);
      if (!progress) return;
      await bench.process.clock.sleep(progress.isDone ? 10_000 : progress.retryAfterMs);
    }
  }

  /** Nothing when there is nothing left to do. */
  async #pass(
    ports: OperationPorts,
    task: { readonly persist: Task["persist"]; readonly evidence: PostEvidence },
  ): Promise<Progress | undefined> {
    const seen = { body: await bodyOf(ports.arm), startMs: this.startMs };
    if (!this.record && this.story.isDone(this.azure, seen)) return undefined;
    return advance(ports, { record: this.record, desired: this.story.desired, ...task });
  }
}

async function bodyOf(arm: Arm): Promise<unknown> {
  try {
    return (await arm.get(SCALE_SET)).body;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** What the work queue does with what a pass throws. */
function tryLater(): Progress {
  return { isDone: false, retryAfterMs: 15_000, why: "the queue comes back" };
}

test.each<[string, DesiredWrite, object]>([
  ["of a known resource only if no other client has written it since", UPDATE, { "if-match": '"1"' }],
  ["of a new resource only if it does not exist", CREATE, { "if-none-match": "*" }],
])("sends a write %s", async (_, desired, expected) => {
  const bench = new Bench(() => answer(412, { error: { code: "PreconditionFailed", message: "x" } }));
  const ports: OperationPorts = { arm: bench.arm(), clock: bench.process.clock };
  const evidence: PostEvidence = () => Promise.resolve([]);
  const task = { desired, evidence, persist: () => Promise.resolve() };
  await bench.run(advance(ports, task).catch(() => undefined));
  const writes = bench.requests.filter(({ method }) => method === "PUT");
  expect(writes.map(({ headers }) => headers)).toMatchObject([expected]);
});

describe.each(Object.entries(STORIES))("an operation (%s)", (_, story) => {
  test("is sent once and followed to its end", async () => {
    const world = new OperationsTestBed(story);
    await world.run();
    expect(world.azure.writes).toHaveLength(1);
    expect(world.record).toBeUndefined();
  });

  test("is sent once wherever the process dies", async () => {
    const calm = new OperationsTestBed(story);
    await calm.run();
    expect(calm.messages).toBeGreaterThan(8);
    for (let point = 0; point < calm.messages; point++) {
      for (const fate of ["crashBefore", "crashAfter"] as const) {
        const world = new OperationsTestBed(story);
        let crashes = 0;
        world.fate = (message) => (message === point && crashes++ === 0 ? fate : "deliver");
        await world.run();
        expect([point, fate, crashes, world.sent]).toEqual([point, fate, 1, 1]);
      }
    }
  });

  test("is sent once however often requests are refused, answers are lost and polls fail", async () => {
    const troubles = fc.array(fc.constantFrom<Trouble>("none", "unavailable", "lost"), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(troubles, async (sequence) => {
        const world = new OperationsTestBed(story);
        const left = [...sequence];
        world.azure.trouble = () => left.shift() ?? "none";
        await world.run();
        expect(world.azure.writes).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });

  test("that Azure has forgotten is looked up and not sent again", async () => {
    const world = new OperationsTestBed(story);
    let polls = 0;
    world.azure.trouble = ({ path }) => {
      if (path.includes("/operations/") && polls++ === 0) world.azure.forgetOperations();
      return "none";
    };
    await world.run();
    expect(polls).toBeGreaterThan(0);
    expect(world.azure.writes).toHaveLength(1);
  });
});

describe("one pass", () => {
  const passOf = async (
    reply: ReturnType<typeof answer>,
    task: { record?: Frozen<Operation>; desired?: DesiredOperation } = { desired: CREATE },
  ): Promise<{ result: unknown; records: (Frozen<Operation> | undefined)[]; bench: Bench }> => {
    const bench = new Bench(() => reply);
    const records: (Frozen<Operation> | undefined)[] = [];
    const persist = async (record: Frozen<Operation> | undefined): Promise<void> => void records.push(record);
    const ports = { arm: bench.arm(), clock: bench.process.clock };
    const evidence: PostEvidence = async () => [];
    const result = await bench.run(
      advance(ports, { ...task, persist, evidence }).catch((error: unknown) => error),
    );
    return { result, records, bench };
  };
  const url =
    "https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/l/operations/1";

  test("writes the intent before the call and the address after it", async () => {
    const { records, result } = await passOf(
      answer(201, {}, { "azure-asyncoperation": url, "retry-after": "9" }),
    );
    const intent = {
      verb: "PUT",
      resourceID: SCALE_SET,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    };
    expect(records).toEqual([
      { ...intent, startedAt: "2026-01-01T00:00:00Z" },
      { ...intent, startedAt: "2026-01-01T00:00:00Z", url },
    ]);
    expect(result).toMatchObject({ isDone: false, retryAfterMs: 9000 });
  });

  test("is done at once when there is nothing to follow", async () => {
    const { records, result } = await passOf(answer(200, { properties: { provisioningState: "Succeeded" } }));
    expect(records.at(-1)).toBeUndefined();
    expect(result).toMatchObject({ isDone: true, outcome: "Succeeded" });
  });

  test("keeps the intent when the resource goes on without an address", async () => {
    const { records, result } = await passOf(answer(201, { properties: { provisioningState: "Updating" } }));
    expect(records).toHaveLength(1);
    expect(result).toMatchObject({ isDone: false, why: "the resource is Updating" });
  });

  test("takes the intent back when Azure refuses", async () => {
    const { records, result } = await passOf(answer(409, { error: { code: "Conflict", message: "busy" } }));
    expect(records.map((record) => record?.verb)).toEqual(["PUT", undefined]);
    expect(result).toMatchObject({ class: "Conflict", code: "Conflict" });
  });

  test("writes nothing when the budget holds the call back", async () => {
    const bench = new Bench(() => answer(200, {}));
    const records: (Frozen<Operation> | undefined)[] = [];
    const persist = async (record: Frozen<Operation> | undefined): Promise<void> => void records.push(record);
    const ports = { arm: bench.arm(), clock: bench.process.clock };
    const pass = (): Promise<unknown> =>
      bench.run(advance(ports, { desired: UPDATE, persist }).catch((error: unknown) => error));
    let last: unknown;
    while (!(last instanceof AzureError)) last = await pass();
    expect(last).toMatchObject({ code: "RequestBudgetUsedUp", target: "CreateVMScaleSetResource" });
    expect(records).toHaveLength(2 * bench.requests.length);
  });

  test.each<DesiredChange>([
    { ...UPDATE, instances: 5900 },
    { verb: "DELETE", resourceID: SCALE_SET, instances: 5900 },
  ])("counts the instances that come or go by a $verb, as Azure does", async (desired) => {
    const bench = new Bench(() => answer(200, {}));
    const persist = (): Promise<void> => Promise.resolve();
    const ports = { arm: bench.arm(), clock: bench.process.clock };
    await bench.run(advance(ports, { desired, persist }));
    expect(await bench.failure(advance(ports, { desired, persist }))).toMatchObject({
      code: "RequestBudgetUsedUp",
      target: "VMScaleSetBatchedVMRequestsSubscriptionMaximum",
    });
    expect(bench.requests).toHaveLength(1);
  });

  test("sends nothing when the intent cannot be written", async () => {
    const bench = new Bench(() => answer(200, {}));
    const persist = (): Promise<void> => Promise.reject(new Error("no etcd"));
    const ports = { arm: bench.arm(), clock: bench.process.clock };
    expect(await bench.failure(advance(ports, { desired: UPDATE, persist }))).toEqual(new Error("no etcd"));
    expect(bench.requests).toHaveLength(0);
  });

  test("follows what is under way although something else is wanted by now", async () => {
    const record: Frozen<Operation> = {
      verb: "PUT",
      resourceID: SCALE_SET,
      hash: "old",
      startedAt: "2026-01-01T00:00:00Z",
      url,
    };
    const { bench, result } = await passOf(answer(200, { status: "InProgress" }), {
      record,
      desired: UPDATE,
    });
    expect(bench.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(result).toMatchObject({ isDone: false });
  });

  test("drops an intent that did not arrive and is no longer wanted", async () => {
    const record: Frozen<Operation> = {
      verb: "PUT",
      resourceID: SCALE_SET,
      hash: "old",
      startedAt: "2025-12-31T23:00:00Z",
    };
    const { bench, result } = await passOf(answer(200, { tags: {} }), { record, desired: UPDATE });
    expect(bench.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(result).toMatchObject({ isDone: true, outcome: "Superseded" });
  });

  test("knows a resource without tags by its fields", async () => {
    const resourceID = SCALE_SET.replace("virtualMachineScaleSets/pool", "things/t");
    const desired: DesiredWrite = {
      verb: "PUT",
      resourceID,
      body: { properties: { prefix: "10.0.0.0/24" } },
      hasNoTags: true,
    };
    const first = await passOf(answer(503), { desired });
    const [record] = first.records;
    expect(first.bench.requests[0]?.body).not.toContain("tags");
    const seen = answer(200, {
      properties: { prefix: "10.0.0.0/24", provisioningState: "Succeeded", more: 1 },
    });
    const { bench, result } = await passOf(seen, { desired, ...(record && { record }) });
    expect(bench.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(result).toMatchObject({ isDone: true, outcome: "Succeeded" });
  });

  test("does without an address that is too long to keep", async () => {
    const long = `${url}?s=${"x".repeat(MOST_RECORD_BYTES)}`;
    const { records, result } = await passOf(answer(201, {}, { "azure-asyncoperation": long }));
    expect(records.map((record) => record?.url)).toEqual([undefined, undefined]);
    expect(records.at(-1)?.verb).toBe("PUT");
    expect(result).toMatchObject({ isDone: false });
  });

  test("sends a POST with its own body, and records the action alone", async () => {
    const desired: DesiredOperation = {
      verb: "POST",
      resourceID: SCALE_SET,
      action: "stop",
      body: { force: true },
    };
    const { records, bench } = await passOf(answer(202, {}, { "azure-asyncoperation": url }), { desired });
    expect(bench.requests.map(({ path, body }) => [path.split("?")[0], body])).toEqual([
      [`${SCALE_SET}/stop`, JSON.stringify({ force: true })],
    ]);
    expect(records[0]).toEqual({
      verb: "POST",
      resourceID: SCALE_SET,
      action: "stop",
      hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      startedAt: "2026-01-01T00:00:00Z",
    });
  });

  test("does not begin what its record could not hold", async () => {
    const instanceIDs = Array.from({ length: 1000 }, (_, index) => String(index));
    const desired: DesiredOperation = { verb: "POST", resourceID: SCALE_SET, action: "reimage", instanceIDs };
    const { result, bench } = await passOf(answer(202), { desired });
    expect(result).toEqual(
      expect.objectContaining({ message: expect.stringMatching(/make batches/) as string }),
    );
    expect(bench.requests).toHaveLength(0);
  });
});
