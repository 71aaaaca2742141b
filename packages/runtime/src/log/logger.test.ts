import { Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { terminal } from "../failure.ts";
import { createLogger, type LogLevel, silentLogger } from "./logger.ts";
import { Sensitive } from "./sensitive.ts";

function logger(level: LogLevel = "debug") {
  const lines: string[] = [];
  const scheduler = new Scheduler({ seed: "1" });
  const env = new VirtualProcess(scheduler, "manager");
  const log = createLogger(env, level, { write: (line) => void lines.push(line) });
  const read = (): unknown[] => lines.map((line) => JSON.parse(line) as unknown);
  return { log, lines, read, scheduler };
}

describe("a log line", () => {
  test("is one JSON object with level, time of the environment, fields and message", () => {
    const { log, lines, read } = logger();
    log.info("Boat launched", { object: "default/a", sails: 3 });
    expect(read()).toEqual([
      { level: "info", ts: "2026-01-01T00:00:00.000Z", object: "default/a", sails: 3, msg: "Boat launched" },
    ]);
    expect(lines[0]?.endsWith("}\n")).toBe(true);
    expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
  });

  test("has the fields of all loggers above it", () => {
    const { log, read } = logger();
    log.with({ controller: "boats" }).with({ object: "a" }).warn("Aground");
    expect(read()).toEqual([expect.objectContaining({ controller: "boats", object: "a", level: "warn" })]);
  });

  test("is left out below the level", () => {
    const { log, read } = logger("warn");
    log.debug("one");
    log.info("two");
    log.warn("three");
    log.with({}).error("four");
    expect(read().map((line) => (line as { msg: string }).msg)).toEqual(["three", "four"]);
  });

  test("has no secrets, neither in its fields nor in those of its logger", () => {
    const { log, lines } = logger();
    const secret = new Sensitive("s3cr3t");
    const object = { kind: "Secret", data: { a: "s3cr3t" } };
    log.with({ token: secret, object }).error("Login failed", {
      token: secret,
      list: [{ object }],
      error: terminal("LoginFailed", `the token ${String(secret)} was refused`, {
        cause: { object, secret },
      }),
    });
    expect(lines.join("")).not.toContain("s3cr3t");
    expect(lines.join("")).toContain("[redacted]");
  });

  test("stays one line when the message or a field has line ends", () => {
    const { log, lines, read } = logger();
    log.error("Failed", { error: new Error("first\nsecond") });
    expect(lines).toHaveLength(1);
    expect(read()).toHaveLength(1);
  });
});

test("a silent logger writes nothing, and neither do its children", () => {
  expect(silentLogger.with({ a: 1 })).toBe(silentLogger);
  for (const level of ["debug", "info", "warn", "error"] as const)
    expect(silentLogger[level]("x")).toBeUndefined();
});

test("a line that cannot be written is lost, and nothing else", () => {
  const env = new VirtualProcess(new Scheduler({ seed: "1" }), "p");
  const lines: string[] = [];
  let isFull = true;
  const log = createLogger(env, "info", {
    write: (line) => {
      if (isFull) throw new Error("ENOSPC: no space left on device, write");
      lines.push(line);
    },
  });
  log.info("Lost");
  isFull = false;
  log.info("Kept");
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(["Kept"]);
});
