import { again, block, next } from "@capstan/runtime";
import { expect, test } from "vitest";
import { type Handlers, perform } from "./perform.ts";

type Planned = {
  readonly action: "Create" | "Delete" | "Wait";
  readonly targets: readonly string[];
  readonly why: string;
};

const planned = (action: Planned["action"], ...targets: string[]): Planned => ({
  action,
  targets,
  why: `${action} is due`,
});

/** Performs actions and records handlers and lines of the log in their order. */
async function recorded(actions: readonly Planned[], handlers: Partial<Handlers<Planned>> = {}) {
  const story: unknown[] = [];
  const note =
    (name: string) =>
    (named: readonly Planned[]): Promise<typeof next> => {
      story.push([name, named.flatMap(({ targets }) => targets)]);
      return Promise.resolve(next);
    };
  const log = {
    info: (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void story.push([message, ...Object.values(fields)]),
  };
  const outcome = await perform<Planned>(
    actions,
    { Delete: note("delete"), Create: note("create"), ...handlers },
    log,
  );
  return { story, outcome };
}

test("handlers run in their own order, each with all its actions, and the log says why before", async () => {
  const { story, outcome } = await recorded([
    planned("Create", "a"),
    planned("Delete", "b"),
    planned("Create", "c"),
    planned("Wait", "d"),
  ]);
  expect(story).toEqual([
    ["Performing action", "Delete", ["b"], "Delete is due"],
    ["delete", ["b"]],
    ["Performing action", "Create", ["a"], "Create is due"],
    ["Performing action", "Create", ["c"], "Create is due"],
    ["create", ["a", "c"]],
  ]);
  expect(outcome).toEqual(next);
});

test("a handler that blocks ends the work", async () => {
  const started = block(5, "OperationStarted");
  const { story, outcome } = await recorded([planned("Create", "a"), planned("Delete", "b")], {
    Delete: () => Promise.resolve(started),
  });
  expect(story).toHaveLength(1);
  expect(outcome).toEqual(started);
});

test("the soonest requeue counts", async () => {
  const { outcome } = await recorded([planned("Create", "a"), planned("Delete", "b")], {
    Delete: () => Promise.resolve(again(20, "Slow")),
    Create: () => Promise.resolve(again(10, "Soon")),
  });
  expect(outcome).toEqual(again(10, "Soon"));
});

test("a line of the log names at most ten targets", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const { story } = await recorded([planned("Delete", ...names)]);
  expect(story[0]).toEqual([
    "Performing action",
    "Delete",
    [...names.slice(0, 10), "and 2 more"],
    "Delete is due",
  ]);
});
