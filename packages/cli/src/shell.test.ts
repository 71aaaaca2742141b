import { expect, test } from "vitest";
import { columnsOf } from "./shell.ts";

test("a terminal of unknown width has the default width", () => {
  expect([columnsOf(undefined), columnsOf(0), columnsOf(132)]).toEqual([80, 80, 132]);
});
