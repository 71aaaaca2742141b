import { expect, test } from "vitest";
import { retryAfterOf } from "./retry-after.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

test.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "17" }, 17_000],
  [{ "retry-after": "0" }, 1000],
  [{ "retry-after": "-5" }, 1000],
  [{ "retry-after": "86400" }, 3_600_000],
  [{ "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, 1000],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{}, undefined],
  [{ "retry-after-ms": "2500", "retry-after": "9" }, 2500],
  [{ "x-ms-retry-after-ms": "2500" }, 2500],
])("%j means %s ms", (headers, expected) => {
  expect(retryAfterOf(headers, NOW)).toBe(expected);
});
