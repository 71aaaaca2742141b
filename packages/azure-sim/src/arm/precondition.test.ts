import { expect, test } from "vitest";
import { checkPreconditions } from "./precondition.ts";

test.each([
  [{ "if-match": '"1"' }, '"1"'],
  [{ "if-match": "1" }, '"1"'],
  [{ "if-match": 'W/"abc"' }, 'W/"abc"'],
  [{ "if-match": "*" }, '"1"'],
  [{ "if-none-match": "*" }, undefined],
  [{ "if-none-match": '"2"' }, '"1"'],
  [{}, '"1"'],
])("%j accepts the etag %s", (headers, etag) => {
  expect(() => checkPreconditions(headers as Record<string, string>, etag)).not.toThrow();
});

test.each([
  [{ "if-match": '"2"' }, '"1"'],
  [{ "if-match": '"1"' }, undefined],
  [{ "if-match": "*" }, undefined],
  [{ "if-none-match": "*" }, '"1"'],
  [{ "if-none-match": '"1"' }, '"1"'],
])("%j refuses the etag %s", (headers, etag) => {
  expect(() => checkPreconditions(headers as Record<string, string>, etag)).toThrow("PreconditionFailed");
});
