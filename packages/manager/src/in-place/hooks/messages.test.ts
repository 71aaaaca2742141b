import { describe, expect, test } from "vitest";
import { readDiscovery } from "./discovery.ts";
import { readAcceptedChanges, readUpdateAnswer } from "./messages.ts";

const UPDATER = "updaters.capstan.dev/v1alpha1";
const handler = (name: string, hook: string, more: object = {}): object => ({
  name,
  requestHook: { apiVersion: UPDATER, hook },
  ...more,
});

describe("the answer to CanUpdateMachine", () => {
  test("is a list of paths", () => {
    expect(readAcceptedChanges({ error: null, acceptedChanges: ["machine.spec.version"] })).toEqual([
      "machine.spec.version",
    ]);
  });

  test.each([
    ["garbage", "must answer with a JSON object"],
    [[], "must answer with a JSON object"],
    [{ error: null }, "acceptedChanges must be a list of at most 1024 paths, but is missing"],
    [{ error: null, acceptedChanges: [1] }, "acceptedChanges must be a list"],
    [{ error: null, acceptedChanges: Array(2000).fill("a") }, "acceptedChanges must be a list"],
    [{ error: "out\u0007 of order", acceptedChanges: [] }, 'answered with the error "out  of order"'],
    [{ error: { code: 3 }, acceptedChanges: [] }, "answered with the error"],
  ])("is refused if it is %j", (body, message) => {
    expect(() => readAcceptedChanges(body)).toThrow(message);
  });
});

describe("the answer to UpdateMachine", () => {
  test.each([
    [{ error: null, status: "Done" }, { status: "Done" }],
    [{ error: null, status: "Success" }, { status: "Done" }],
    [
      { error: "disk full", status: "Done" },
      { status: "Error", message: "disk full" },
    ],
    [
      { error: "disk full", status: "Success" },
      { status: "Error", message: "disk full" },
    ],
    [
      { error: "waits for a lock", status: "InProgress" },
      { status: "InProgress", waitMs: 15_000, message: "waits for a lock" },
    ],
    [
      { error: null, status: "InProgress", tryAgain: "5m0s" },
      { status: "InProgress", waitMs: 300_000, message: "" },
    ],
    [
      { error: null, status: "InProgress" },
      { status: "InProgress", waitMs: 15_000, message: "" },
    ],
    [
      { error: null, status: "InProgress", tryAgain: "1ns" },
      { status: "InProgress", waitMs: 1_000, message: "" },
    ],
    [
      { error: null, status: "InProgress", tryAgain: "900h" },
      { status: "InProgress", waitMs: 3_600_000, message: "" },
    ],
    [
      { error: "broken", status: "Error" },
      { status: "Error", message: "broken" },
    ],
    [{ error: "broken" }, { status: "Error", message: "broken" }],
    [
      { error: null, status: "Error" },
      { status: "Error", message: "the updater gave no reason" },
    ],
  ])("%j means %j", (body, expected) => {
    expect(readUpdateAnswer(body)).toEqual(expected);
  });

  test.each([
    [
      { error: null, status: "InProgress", tryAgain: "soon" },
      'tryAgain must be a duration such as 5m0s, but is "soon"',
    ],
    [
      { error: null, status: "InProgress", tryAgain: 5 },
      "tryAgain must be a duration such as 5m0s, but is 5",
    ],
    [{ error: null, status: "Perhaps" }, 'status must be InProgress, Done or Error, but is "Perhaps"'],
    [null, "must answer with a JSON object, but answered null"],
  ])("%j is refused", (body, message) => {
    expect(() => readUpdateAnswer(body)).toThrow(message);
  });
});

describe("a discovery", () => {
  test("lists handlers by the names that their ExtensionConfig shows", () => {
    const handlers = [
      handler("can", "CanUpdateMachine", { timeoutSeconds: 5, failurePolicy: "Ignore" }),
      handler("do", "UpdateMachine"),
    ];
    expect(readDiscovery({ status: "Success", handlers }, "ext")).toEqual([
      {
        name: "can.ext",
        requestHook: { apiVersion: UPDATER, hook: "CanUpdateMachine" },
        timeoutSeconds: 5,
        failurePolicy: "Ignore",
      },
      { name: "do.ext", requestHook: { apiVersion: UPDATER, hook: "UpdateMachine" } },
    ]);
  });

  test.each([
    [{ status: "Failure", message: "no disk" }, "answered the discovery with a failure: no disk"],
    [{}, "handlers must be a list"],
    [{ handlers: [{}] }, "handlers[0] must have a name and a requestHook"],
    [{ handlers: [handler("Bad Name", "UpdateMachine")] }, 'handlers[0].name "Bad Name"'],
    [
      { handlers: [handler("a", "UpdateMachine"), handler("a", "CanUpdateMachine")] },
      'two handlers have the name "a.ext"',
    ],
    [
      { handlers: [handler("a", "UpdateMachine"), handler("b", "UpdateMachine")] },
      "two handlers implement the hook",
    ],
    [{ handlers: [handler("a", "Explode")] }, "is unknown; known: updaters.capstan.dev/v1alpha1 with"],
    [
      { handlers: [handler("a", "UpdateMachine", { timeoutSeconds: 900 })] },
      "handlers[0].timeoutSeconds must be 1 to 30, but is 900",
    ],
    [
      { handlers: [handler("a", "UpdateMachine", { failurePolicy: "Shrug" })] },
      "handlers[0].failurePolicy must be Fail or Ignore",
    ],
  ])("is refused if it is %j", (body, message) => {
    expect(() => readDiscovery(body, "ext")).toThrow(message);
  });
});
