import { expect, test } from "vitest";
import { readinessFields } from "./provisioned.ts";

const PROVISIONED = { initialization: { provisioned: true } };

test.each([
  ["not ready yet", undefined, false, { ready: false }],
  ["ready", undefined, true, { ready: true, ...PROVISIONED }],
  ["ready again", { ready: false, ...PROVISIONED }, true, { ready: true, ...PROVISIONED }],
  ["in trouble after it was ready", { ready: true, ...PROVISIONED }, false, { ready: false, ...PROVISIONED }],
  ["still in trouble", { ready: false, ...PROVISIONED }, false, { ready: false, ...PROVISIONED }],
  [
    "in trouble, and was ready before the newer field existed",
    { ready: true },
    false,
    { ready: false, ...PROVISIONED },
  ],
  ["never ready", { ready: false, initialization: { provisioned: false } }, false, { ready: false }],
])("an object that is %s", (_, before, isReady, expected) => {
  expect(readinessFields(before, isReady)).toEqual(expected);
});
