import { expect, test } from "vitest";
import { isFreshFor, openRequest } from "./fresh-bootstrap.ts";

const object = (annotations?: Record<string, string>) => ({
  metadata: { name: "x", ...(annotations && { annotations }) },
});
const REQUEST = "capstan.dev/fresh-bootstrap";
const ANSWER = "capstan.dev/fresh-bootstrap-answer";
const EXPIRES = "capstan.dev/bootstrap-expires";

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ [REQUEST]: "" }, undefined],
  [{ [REQUEST]: "1" }, "1"],
  [{ [REQUEST]: "2", [ANSWER]: "1" }, "2"],
  [{ [REQUEST]: "2", [ANSWER]: "2" }, undefined],
  [{ [ANSWER]: "2" }, undefined],
])("with the annotations %j the open request is %s", (annotations, expected) => {
  expect(openRequest(object(annotations))).toBe(expected);
});

test.each([
  [{ [ANSWER]: "1", [EXPIRES]: "2026-01-01T01:00:00Z" }, true],
  [{ [ANSWER]: "1" }, true],
  [{ [ANSWER]: "1", [EXPIRES]: "2026-01-01T00:59:59Z" }, false],
  [{ [ANSWER]: "1", [EXPIRES]: "whenever" }, false],
  [{ [ANSWER]: "0", [EXPIRES]: "2026-01-01T01:00:00Z" }, false],
  [undefined, false],
])("with the annotations %j data is fresh for request 1 until one o'clock: %s", (annotations, expected) => {
  const question = { request: "1", untilMs: Date.parse("2026-01-01T01:00:00Z") };
  expect(isFreshFor(object(annotations), question)).toBe(expected);
});
