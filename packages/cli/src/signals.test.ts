import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { stopSignalOf } from "./signals.ts";

function process(): { emit(signal: string): void; nowMs: number; exits: number[]; signal: AbortSignal } {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const state = { nowMs: 0 };
  const source = Object.assign(emitter, { exit: (code: number) => void exits.push(code) });
  const signal = stopSignalOf(source, { monotonic: () => state.nowMs });
  return Object.assign(state, { emit: (name: string) => void emitter.emit(name), exits, signal });
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"])("%s requests a stop and ends nothing yet", (name) => {
  const it = process();
  expect(it.signal.aborted).toBe(false);
  it.emit(name);
  expect([it.signal.aborted, it.exits]).toEqual([true, []]);
});

test("a Ctrl-C that npm forwards as well counts once, the next one ends the process at once", () => {
  const it = process();
  it.emit("SIGINT");
  it.nowMs = 80;
  it.emit("SIGINT");
  expect(it.exits).toEqual([]);
  it.nowMs = 900;
  it.emit("SIGINT");
  expect(it.exits).toEqual([130]);
});
