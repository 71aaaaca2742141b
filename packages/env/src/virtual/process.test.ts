import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Handler, HttpRequest, HttpResponse } from "../transport.ts";
import { type Fate, VirtualProcess } from "./process.ts";
import { Scheduler } from "./scheduler.ts";

const reply = (body: unknown): HttpResponse => ({
  status: 200,
  headers: {},
  json: () => Promise.resolve(body),
  text: () => Promise.resolve(JSON.stringify(body)),
  lines: async function* () {
    for (const item of body as unknown[]) yield await Promise.resolve(item);
  },
});

/** A server that records the requests that reached it. */
function recorder(): { handler: Handler; heard: string[]; closed: string[] } {
  const heard: string[] = [];
  const closed: string[] = [];
  const handler: Handler = ({ path, signal }) => {
    heard.push(path);
    signal?.addEventListener("abort", () => closed.push(path));
    return Promise.resolve(reply([path]));
  };
  return { handler, heard, closed };
}

const get = (path: string, signal?: AbortSignal) => ({
  method: "GET",
  path,
  headers: {},
  ...(signal && { signal }),
});

describe("a virtual process", () => {
  test("gets answers after the latency of both ways", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const transport = process.connect(recorder().handler, { latencyMs: () => 20 });
    let answeredMs = -1;
    void transport.request(get("/a")).then(() => {
      answeredMs = scheduler.monotonicMs;
    });
    await scheduler.run();
    expect(answeredMs).toBe(40);
  });

  test("gets the lines of a stream in order, each through the scheduler", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const transport = process.connect(() => Promise.resolve(reply([1, 2, 3])));
    const seen: unknown[] = [];
    void (async () => {
      for await (const line of (await transport.request(get("/watch"))).lines())
        seen.push([line, scheduler.monotonicMs]);
    })();
    await scheduler.run();
    expect(seen).toEqual([
      [1, 3],
      [2, 4],
      [3, 5],
    ]);
  });

  test("stops at once in a crash: no timer fires, no promise settles, no finally runs", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, heard } = recorder();
    const transport = process.connect(handler);
    const traces: string[] = [];
    const abort = new AbortController();
    const live = async (): Promise<void> => {
      try {
        await transport.request(get("/pending", abort.signal));
        traces.push("answered");
      } catch {
        traces.push("caught");
      } finally {
        traces.push("finally");
      }
    };
    void live();
    process.clock.timer(5, () => traces.push("timer"));
    void process.clock.sleep(3).finally(() => traces.push("slept"));
    process.crash();
    abort.abort(new Error("given up"));
    void transport.request(get("/after the crash")).finally(() => traces.push("sent after the crash"));
    await scheduler.run();
    expect(traces).toEqual([]);
    expect(heard).toEqual(["/pending"]);
  });

  test.each<[Fate, string[]]>([
    ["crashBefore", []],
    ["crashAfter", ["/write"]],
  ])("dies by %s after the server has received %j", async (fate, expected) => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, heard } = recorder();
    const transport = process.connect(handler, { fate: () => fate });
    let settled = false;
    void transport.request(get("/write")).finally(() => {
      settled = true;
    });
    await scheduler.run();
    expect([heard, settled, process.crashed]).toEqual([expected, false, true]);
  });

  test("gets the error of a fault that has no effect on the server", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, heard } = recorder();
    const transport = process.connect(handler, { fate: () => new Error("the cable is cut") });
    const outcome = transport.request(get("/a")).catch((error: Error) => error.message);
    await scheduler.run();
    expect([await outcome, heard]).toEqual(["the cable is cut", []]);
  });

  test("closes its streams on the server's side when it crashes", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, closed } = recorder();
    void process.connect(handler).request(get("/watch"));
    await scheduler.run();
    process.crash();
    expect(closed).toEqual(["/watch"]);
  });

  test("closes a stream although the server continued with a copy of the request", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, closed } = recorder();
    const abort = new AbortController();
    const transport = process.connect((request) => handler({ ...request, path: `/copied${request.path}` }));
    void transport.request(get("/of an orphan"));
    void transport.request(get("/given up", abort.signal));
    await scheduler.run();
    abort.abort();
    expect(closed).toEqual(["/copied/given up"]);
    process.crash();
    expect(closed).toEqual(["/copied/given up", "/copied/of an orphan"]);
  });

  test("sends all fields of a request", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const peer = { commonName: "admin", organizations: ["system:masters"] };
    const request = { method: "POST", path: "/a", headers: { accept: "*/*" }, body: { kind: "A" }, peer };
    let heard: HttpRequest | undefined;
    const handler: Handler = (sent) => {
      heard = sent;
      return Promise.resolve(reply([]));
    };
    void new VirtualProcess(scheduler, "p").connect(handler).request(request);
    await scheduler.run();
    expect(heard).toMatchObject(request);
  });

  test("can abort a request, which then rejects once with the reason", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const abort = new AbortController();
    const never: Handler = () => new Promise(() => undefined);
    const outcome = process
      .connect(never)
      .request(get("/slow", abort.signal))
      .catch((error: Error) => error.message);
    process.clock.timer(50, () => abort.abort(new Error("too slow")));
    await scheduler.run();
    expect([await outcome, scheduler.monotonicMs]).toEqual(["too slow", 50]);
  });

  test("draws other names after a restart, and the same ones when the run is repeated", () => {
    const idsOf = (name: string): string => new VirtualProcess(new Scheduler({ seed: "9" }), name).uuid();
    expect(idsOf("manager-1")).toBe(idsOf("manager-1"));
    expect(idsOf("manager-1")).not.toBe(idsOf("manager-2"));
  });

  test("can be woken from a sleep of thirty days", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    let woke = 0;
    void process.clock.sleep(30 * 24 * 3_600_000).then(() => {
      woke = scheduler.monotonicMs;
    });
    await scheduler.run();
    expect(woke).toBe(30 * 24 * 3_600_000);
  });
});

describe("a stream of a virtual process", () => {
  /** Reads a stream to its end, and records the lines and how it ends. */
  async function read(lines: AsyncIterable<unknown>, note: (what: string) => void): Promise<void> {
    try {
      for await (const line of lines) note(`line ${String(line)}`);
      note("end");
    } catch (error) {
      note((error as Error).message);
    }
  }

  /** A server that sends two lines and no more, and a process that reads them. */
  function reading({ signal }: { readonly signal: AbortSignal }) {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const seen: string[] = [];
    const note = (what: string): void => void seen.push(`${what} at ${scheduler.monotonicMs}`);
    const silent = (): AsyncIterable<unknown> => ({
      async *[Symbol.asyncIterator]() {
        yield* [1, 2];
        await new Promise(() => undefined);
      },
    });
    const transport = process.connect(() => Promise.resolve({ ...reply([]), lines: silent }));
    void transport.request(get("/watch", signal)).then((response) => read(response.lines(), note));
    return { scheduler, process, seen };
  }

  test("ends at once when a caller that waits for the next line aborts it", async () => {
    const abort = new AbortController();
    const { scheduler, process, seen } = reading(abort);
    process.clock.timer(50, () => abort.abort(new Error("enough")));
    await scheduler.run();
    expect(seen).toEqual(["line 1 at 3", "line 2 at 4", "enough at 50"]);
  });

  test("ends while a line is in transit, which then never arrives", async () => {
    const abort = new AbortController();
    const { scheduler, seen } = reading(abort);
    await scheduler.run({ untilMs: 3.5 });
    abort.abort(new Error("enough"));
    await scheduler.run();
    expect(seen).toEqual(["line 1 at 3", "enough at 3.5"]);
  });

  test("reports nothing to a process that has crashed, not even the abort", async () => {
    const abort = new AbortController();
    const { scheduler, process, seen } = reading(abort);
    await scheduler.run({ untilMs: 3.5 });
    process.crash();
    abort.abort(new Error("enough"));
    await scheduler.run();
    expect(seen).toEqual(["line 1 at 3"]);
  });

  test("delivers no further line after an abort while its reader processes one", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const abort = new AbortController();
    const seen: string[] = [];
    const transport = process.connect(() => Promise.resolve(reply([1, 2])));
    void transport.request(get("/watch", abort.signal)).then((response) =>
      read(response.lines(), (what) => {
        seen.push(what);
        abort.abort(new Error("enough"));
      }),
    );
    await scheduler.run();
    expect(seen).toEqual(["line 1", "enough"]);
  });

  test("delivers no line after an abort before it is read", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const abort = new AbortController();
    const seen: string[] = [];
    const transport = process.connect(recorder().handler);
    void transport.request(get("/watch", abort.signal)).then((response) => {
      abort.abort(new Error("enough"));
      return read(response.lines(), (what) => seen.push(what));
    });
    await scheduler.run();
    expect(seen).toEqual(["enough"]);
  });

  test.each<[string, AsyncIterable<unknown>]>([
    ["has ended", reply([1]).lines()],
    [
      "has broken",
      {
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("broken")) }),
      },
    ],
    ["was left by its reader", reply(["last", 2]).lines()],
  ])("that %s releases everything", async (_, lines) => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { signal } = new AbortController();
    const transport = process.connect(() => Promise.resolve({ ...reply([]), lines: () => lines }));
    const listening: number[] = [];
    void transport.request(get("/watch", signal)).then(async (response) => {
      try {
        for await (const line of response.lines()) {
          listening.push(getEventListeners(signal, "abort").length);
          if (line === "last") break;
        }
      } catch {
        // Only the resources that remain matter here.
      }
      listening.push(getEventListeners(signal, "abort").length);
    });
    await scheduler.run();
    expect(listening.at(-1)).toBe(0);
  });
});

describe("a process with faults", () => {
  test("gets no answer although its request took effect on the server", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, heard } = recorder();
    const lost = new Error("lost");
    const transport = process.connect(handler, { fate: () => ({ answerLost: lost }) });
    let seen: unknown;
    transport.request(get("/a")).catch((error: unknown) => {
      seen = error;
    });
    await scheduler.run();
    expect([seen, heard]).toEqual([lost, ["/a"]]);
  });

  test("stalls: timers and answers reach it afterwards, and its requests travel meanwhile", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    const { handler, heard } = recorder();
    const seen: string[] = [];
    const note = (what: string) => (): void => void seen.push(`${what} at ${scheduler.monotonicMs}`);
    process.clock.timer(10, note("early timer"));
    process.clock.timer(90, note("late timer"));
    void process.connect(handler).request(get("/a")).then(note("answer"));
    process.stall(50);
    await scheduler.advance(20);
    expect(heard).toEqual(["/a"]);
    await scheduler.run();
    expect(seen.toSorted()).toEqual(["answer at 50", "early timer at 50", "late timer at 90"]);
  });

  test("cancels a timer that a stall has delayed", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const process = new VirtualProcess(scheduler, "p");
    let fired = false;
    const timer = process.clock.timer(10, () => {
      fired = true;
    });
    process.stall(50);
    await scheduler.advance(20);
    timer.cancel();
    await scheduler.run();
    expect(fired).toBe(false);
  });

  test("has a wall clock of its own that can jump, and timers that do not", async () => {
    const scheduler = new Scheduler({ seed: "1", startMs: 0 });
    const [one, other] = [new VirtualProcess(scheduler, "one"), new VirtualProcess(scheduler, "other")];
    one.jumpWallClock(3_600_000);
    expect([one.clock.now(), other.clock.now(), one.clock.monotonic()]).toEqual([3_600_000, 0, 0]);
  });

  test("reports its death once", () => {
    const process = new VirtualProcess(new Scheduler({ seed: "1" }), "p");
    let deaths = 0;
    process.onCrash(() => deaths++);
    process.crash();
    process.crash();
    expect(deaths).toBe(1);
  });
});
