import { transient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { askUpdaters } from "./ask.ts";

const ports = {
  hooks: { call: () => Promise.resolve({}) },
  namespaceLabels: () => Promise.resolve({}),
  updateTimeoutMs: 1,
};

function asked(failure: Error) {
  return askUpdaters(ports, { desired: () => Promise.reject(failure), updaters: [], nowMs: 0 });
}

test("what the API server does not answer is asked again soon", async () => {
  expect(await asked(transient("Unavailable", "no answer"))).toEqual({
    result: "Unknown",
    message: "no answer",
    retryAfter: "1970-01-01T00:00:30Z",
  });
});

test("a Retry-After of the API server is left to the queue, which honours it", async () => {
  const throttled = transient("Throttled", "too many requests", { retryAfterMs: 90_000 });
  await expect(asked(throttled)).rejects.toBe(throttled);
});
