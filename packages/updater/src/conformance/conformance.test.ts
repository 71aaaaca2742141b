import { createRealEnv, type Handler, type HttpRequest, type HttpResponse } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { defineUpdater } from "../define-updater.ts";
import { done, failed, inProgress, isBelow } from "../messages.ts";
import { PatchProblem, patched } from "./apply-patch.ts";
import { checkConformance, type ConformanceReport, conformanceText } from "./conformance.ts";

const { clock } = createRealEnv();

function check(handle: Handler): Promise<ConformanceReport> {
  const transport = { request: handle, close: () => Promise.resolve() };
  return checkConformance({ connect: () => transport, clock, hugeBytes: 1000 });
}

const good = defineUpdater({
  name: "resizer",
  canUpdate: ({ changes }) => ({
    acceptedChanges: changes.filter((path) => isBelow(path, "infraMachine.spec.vmSize")),
    message: "only the size",
    needsDrain: true,
  }),
  update: ({ machine }) => (machine.name === "known" ? done() : failed("there is no such machine")),
});

/** The good updater with another answer to some requests. */
function wrong(
  path: RegExp,
  change: (answer: Record<string, unknown>, request: HttpRequest) => unknown,
): Handler {
  return async (request) => {
    const response = await good.handle(request);
    if (!path.test(request.path) || response.status !== 200) return response;
    return answered(200, change((await response.json()) as Record<string, unknown>, request));
  };
}

function answered(status: number, body: unknown): HttpResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: {},
    json: () => Promise.resolve(JSON.parse(text) as unknown),
    text: () => Promise.resolve(text),
    lines: async function* () {
      yield await Promise.resolve(text);
    },
  };
}

const patch = (value: unknown, patchType = "JSONMergePatch") => ({
  patchType,
  patch: Buffer.from(JSON.stringify(value)).toString("base64"),
});
const CAPI = /hooks\.runtime\.cluster\.x-k8s\.io\/v1alpha1\/canupdatemachine\//;
const CAPI_UPDATE = /hooks\.runtime.*updatemachine\/update/;
const OURS = /updaters\.capstan\.dev.*\/canupdatemachine\//;
const OURS_UPDATE = /updaters\.capstan\.dev.*\/updatemachine\//;
let calls = 0;

const BROKEN: Readonly<Record<string, readonly [Handler, string]>> = {
  "a discovery without handlers": [
    wrong(/discovery/, (answer) => ({ ...answer, handlers: [] })),
    "there are no handlers",
  ],
  "a discovery that fails": [
    wrong(/discovery/, () => ({ status: "Failure", message: "not today" })),
    "status is Failure: not today",
  ],
  "hooks of Capstan for Cluster API": [
    (request) => good.handle({ ...request, headers: { "user-agent": "capstan" } }),
    "Cluster API then refuses the whole discovery",
  ],
  "a path that was not asked about": [
    wrong(OURS, (answer) => ({ ...answer, acceptedChanges: ["machine.spec.other"] })),
    "acceptedChanges has machine.spec.other, which was not asked about",
  ],
  "no list of paths": [wrong(OURS, () => ({ error: null })), "acceptedChanges must be a list of paths"],
  "an unknown status": [
    wrong(OURS_UPDATE, () => ({ status: "Busy" })),
    "status must be InProgress, Done or Error",
  ],
  "an error beside Done": [
    wrong(OURS_UPDATE, () => ({ status: "Done", error: "no" })),
    "status is Done, and error says no",
  ],
  "a wait that is no duration": [
    wrong(OURS_UPDATE, () => ({ status: "InProgress", tryAgain: "soon" })),
    "tryAgain must be a duration up to 1h",
  ],
  "done for any machine": [wrong(OURS_UPDATE, () => ({ status: "Done" })), "controllers would believe it"],
  "no status for Cluster API": [wrong(CAPI, () => ({})), "status must be Success or Failure, but is nothing"],
  "an availability that is a text": [
    wrong(CAPI, (answer) => ({ ...answer, affectsAvailability: "no" })),
    "affectsAvailability must be true or false, but is no",
  ],
  "a patch that does not apply": [
    wrong(CAPI, (answer) => ({
      ...answer,
      machinePatch: patch([{ op: "remove", path: "/spec/nothing" }], "JSONPatch"),
    })),
    "machinePatch: operation 0: /nothing does not exist",
  ],
  "a patch to something else": [
    wrong(CAPI, (answer) => ({ ...answer, machinePatch: patch({ spec: { clusterName: "other" } }) })),
    "machinePatch changes machine.spec.clusterName, and not to what is desired",
  ],
  "a patch without its type": [
    wrong(CAPI, (answer) => ({ ...answer, machinePatch: patch({}, "") })),
    "patchType must be JSONPatch or JSONMergePatch",
  ],
  "a wait of a week": [
    wrong(CAPI_UPDATE, () => ({ status: "Success", retryAfterSeconds: 604_800 })),
    "retryAfterSeconds must be a whole number from 0 to 3600",
  ],
  "answers that depend on luck": [
    wrong(CAPI_UPDATE, () => ({
      status: calls++ % 2 ? "Success" : "Failure",
      message: "x",
      retryAfterSeconds: 5,
    })),
    "first {",
  ],
  "an error page": [() => Promise.resolve(answered(502, "<html>")), "answered with HTTP status 502: <html>"],
  "success for whatever comes": [
    () =>
      Promise.resolve(
        answered(200, {
          status: "Success",
          handlers: [
            {
              name: "a",
              requestHook: {
                apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1",
                hook: "CanUpdateMachine",
              },
            },
          ],
        }),
      ),
    "a status of 400 to 499 with JSON would be right",
  ],
};

describe("the conformance kit", () => {
  test("passes an updater of the SDK in both dialects", async () => {
    const report = await check(good.handle);
    expect(report.results.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(new Set(report.results.map(({ about }) => about))).toEqual(
      new Set([
        "discovery",
        "capstan CanUpdateMachine",
        "capstan UpdateMachine",
        "cluster-api CanUpdateMachine",
        "cluster-api CanUpdateMachineSet",
        "cluster-api UpdateMachine",
      ]),
    );
  });

  test.each(Object.entries(BROKEN))("fails an updater with %s", async (_name, [handle, words]) => {
    const report = await check(handle);
    expect(report.isPassed).toBe(false);
    const problems = report.results.flatMap(({ problem = [] }) => problem);
    expect(
      problems.some((problem) => problem.includes(words)),
      problems.join("\n"),
    ).toBe(true);
  });

  test("calls UpdateMachine for a Machine only if it is named", async () => {
    const named: string[] = [];
    const updater = defineUpdater({
      name: "seen",
      canUpdate: () => [],
      update: ({ machine }) => {
        named.push(`${machine.namespace}/${machine.name}`);
        return inProgress(5);
      },
    });
    const connect = () => ({ request: updater.handle, close: () => Promise.resolve() });
    await checkConformance({ connect, clock, hugeBytes: 1000 });
    expect(new Set(named)).toEqual(new Set(["default/capstan-conformance-missing"]));
    await checkConformance({
      connect,
      clock,
      hugeBytes: 1000,
      machine: { namespace: "team", name: "worker" },
    });
    expect(named).toContain("team/worker");
  });

  test("prints a report of 80 columns with what was wrong", async () => {
    const report = await check(BROKEN["an error page"]?.[0] ?? good.handle);
    const text = conformanceText(report);
    expect(text).toContain(
      "  FAILED  Capstan can use the answer\n          answered with HTTP status 502: <html>\n",
    );
    expect(text).toMatch(/\n0 passed, 2 failed\n$/);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("a patch", () => {
  const object = { spec: { version: "v1", list: ["a", "b"], "a/b": 1 } };
  const json = (...operations: readonly object[]) => patched(object, patch(operations, "JSONPatch"));

  test("is applied as the RFCs say", () => {
    expect(patched(object, patch({ spec: { version: "v2", list: null } }))).toEqual({
      spec: { version: "v2", "a/b": 1 },
    });
    expect(json({ op: "add", path: "/spec/list/1", value: "c" }).spec).toMatchObject({
      list: ["a", "c", "b"],
    });
    expect(json({ op: "add", path: "/spec/list/-", value: "c" }).spec).toMatchObject({
      list: ["a", "b", "c"],
    });
    expect(json({ op: "replace", path: "/spec/list/0", value: "c" }).spec).toMatchObject({
      list: ["c", "b"],
    });
    expect(json({ op: "remove", path: "/spec/list/0" }).spec).toMatchObject({ list: ["b"] });
    expect(
      json({ op: "test", path: "/spec/a~1b", value: 1 }, { op: "move", from: "/spec/a~1b", path: "/spec/c" })
        .spec,
    ).toEqual({
      version: "v1",
      list: ["a", "b"],
      c: 1,
    });
    expect(json({ op: "copy", from: "/spec/version", path: "/spec/d" }).spec).toMatchObject({
      version: "v1",
      d: "v1",
    });
    for (const empty of [undefined, {}, { patchType: "JSONPatch" }, patch([], "JSONPatch"), patch({})])
      expect(patched(object, empty)).toEqual(object);
  });

  test.each([
    [[{ op: "replace", path: "/spec/none", value: 1 }]],
    [[{ op: "test", path: "/spec/version", value: "v2" }]],
    [[{ op: "add", path: "/spec/list/9", value: 1 }]],
    [[{ op: "add", path: "spec", value: 1 }]],
    [[{ op: "turn", path: "/spec" }]],
    [["x"]],
    [{}],
  ])("that cannot be applied is a problem: %j", (operations) => {
    expect(() => patched(object, patch(operations, "JSONPatch"))).toThrow(PatchProblem);
  });
});
