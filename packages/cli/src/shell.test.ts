import { expect, test } from "vitest";
import { columnsOf } from "./shell.ts";

test("a terminal that does not know its width has the usual one", () => {
  expect([columnsOf(undefined), columnsOf(0), columnsOf(132)]).toEqual([80, 80, 132]);
});
