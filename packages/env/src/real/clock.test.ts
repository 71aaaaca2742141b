import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";

const DAY_MS = 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("fires a timer of thirty days after thirty days, not at once", () => {
  const fired = vi.fn<() => void>();
  realClock().timer(30 * DAY_MS, fired);
  vi.advanceTimersByTime(29 * DAY_MS);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(DAY_MS);
  expect(fired).toHaveBeenCalledOnce();
});

test("can cancel a long timer after its first leg", () => {
  const fired = vi.fn<() => void>();
  const timer = realClock().timer(60 * DAY_MS, fired);
  vi.advanceTimersByTime(40 * DAY_MS);
  timer.cancel();
  vi.advanceTimersByTime(40 * DAY_MS);
  expect(fired).not.toHaveBeenCalled();
});

test("keeps intervals when the wall clock jumps by a year", () => {
  const clock = realClock();
  const fired = vi.fn<() => void>();
  clock.timer(1000, fired);
  vi.setSystemTime(clock.now() + 365 * DAY_MS);
  vi.advanceTimersByTime(999);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledOnce();
});

test("rejects a sleep with the reason of the abort, and leaves no timer behind", async () => {
  const abort = new AbortController();
  const slept = realClock().sleep(5000, abort.signal);
  abort.abort(new Error("stopping"));
  await expect(slept).rejects.toThrow("stopping");
  expect(vi.getTimerCount()).toBe(0);
  await expect(realClock().sleep(1, abort.signal)).rejects.toThrow("stopping");
});
