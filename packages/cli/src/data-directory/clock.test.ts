import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder } from "@capstan/apiserver/private-file";
import { createAzure, openSqliteStore } from "@capstan/azure-sim";
import { type Env, Scheduler, VirtualProcess } from "@capstan/env";
import { afterAll, describe, expect, test } from "vitest";
import { azureFolder } from "../azure/control-token.ts";
import { CommandError } from "../command-error.ts";
import { openClock } from "./clock.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-clock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3_600_000;

interface Bench {
  readonly dataDir: string;
  readonly path: string;
  readonly scheduler: Scheduler;
  readonly env: Env;
  readonly kept: () => unknown;
}

function bench(name: string): Bench {
  const dataDir = mkdtempSync(join(root, name));
  const path = join(dataDir, "clock.json");
  const scheduler = new Scheduler({ seed: "clock", startMs: START_MS });
  const env = new VirtualProcess(scheduler, "capstan");
  return { dataDir, path, scheduler, env, kept: () => JSON.parse(readFileSync(path, "utf8")) as unknown };
}

/** Writes the files of a simulated Azure whose clock is at this moment, with further fields in its position. */
function leaveCloud({ dataDir, env }: Bench, simMs: number, more: object = {}): void {
  makePrivateFolder(azureFolder(dataDir));
  const store = openSqliteStore(azureFolder(dataDir));
  createAzure({ env, store }).close();
  const position = store.load()?.position;
  if (!position) throw new Error("a new simulated Azure is stored at once");
  store.commit({ rows: [], journal: [], position: { ...position, simMs, ...more } });
  store.close();
}

describe("the clock of a data directory", () => {
  test("starts with the machine's, in a file that only its owner can read", () => {
    const { dataDir, path, env, kept } = bench("new");
    const clock = openClock({ env, dataDir });
    expect([clock.now(), clock.speed]).toEqual([START_MS, 1]);
    expect(kept()).toEqual({ wallMs: START_MS, simMs: START_MS, speed: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("runs on at its speed while no process uses it, and keeps the speed unless the caller changes it", async () => {
    const { dataDir, scheduler, env } = bench("again");
    const first = openClock({ env, dataDir, speed: 60 });
    first.advance(DAY_MS);
    const leftMs = first.now();
    await scheduler.advance(1000);
    const second = openClock({ env, dataDir });
    expect([second.now() - leftMs, second.speed]).toEqual([60_000, 60]);
    const third = openClock({ env, dataDir, speed: 1 });
    await scheduler.advance(1000);
    expect([third.now() - leftMs, third.speed]).toEqual([61_000, 1]);
  });

  test("is written when it changes, and only then", () => {
    const { dataDir, path, env, kept } = bench("writes");
    const clock = openClock({ env, dataDir, speed: 60 });
    const { ino } = statSync(path);
    openClock({ env, dataDir, speed: 60 }).setSpeed(60);
    expect(statSync(path).ino).toBe(ino);
    clock.setSpeed(7);
    expect(kept()).toMatchObject({ speed: 7 });
  });

  test("without a directory starts with the machine's, too", () => {
    const clock = openClock({ env: bench("none").env, speed: 5 });
    expect([clock.now(), clock.speed]).toEqual([START_MS, 5]);
  });

  test.each([
    ["", "wallMs is undefined; expected milliseconds since 1970"],
    ["nothing", "wallMs is undefined; expected milliseconds since 1970"],
    ["null", "wallMs is undefined; expected milliseconds since 1970"],
    ['{"wallMs":1,"simMs":"x","speed":1}', 'simMs is "x"; expected milliseconds since 1970'],
    ['{"wallMs":1,"simMs":1e300,"speed":1}', "simMs is 1e+300; expected milliseconds since 1970"],
    ['{"wallMs":1,"simMs":1,"speed":0}', "speed is 0; expected a number above 0 and up to 10000"],
  ])("that holds %j is refused with what to do, and its file is not changed", (text, problem) => {
    const { dataDir, path, env } = bench("damaged");
    writeFileSync(path, text);
    expect(() => openClock({ env, dataDir, speed: 60 })).toThrow(
      new CommandError(
        `${path} is damaged: ${problem}; remove it, and the clock resumes from the state of the simulated Azure`,
      ),
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("refuses a speed that is too high", () => {
    const { dataDir, env } = bench("speed");
    expect(() => openClock({ env, dataDir, speed: 20_000 })).toThrow(
      new CommandError("--speed is 20000; expected a number above 0 and up to 10000"),
    );
  });
});

describe("a data directory without a clock", () => {
  test("resumes at the time of its simulated Azure, if that is ahead", () => {
    const ahead = bench("ahead");
    leaveCloud(ahead, START_MS + DAY_MS);
    expect(openClock(ahead).now()).toBe(START_MS + DAY_MS);
    const behind = bench("behind");
    leaveCloud(behind, START_MS - DAY_MS);
    expect(openClock(behind).now()).toBe(START_MS);
  });

  test("resumes from the simulated Azure's own clock of earlier versions", () => {
    const old = bench("old");
    leaveCloud(old, START_MS + DAY_MS, { wallMs: START_MS - 1000, speed: 7 });
    const clock = openClock(old);
    expect([clock.now(), clock.speed]).toEqual([START_MS + DAY_MS + 7000, 7]);
    expect(old.kept()).toEqual({ wallMs: START_MS - 1000, simMs: START_MS + DAY_MS, speed: 7 });
  });
});
