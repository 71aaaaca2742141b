import {
  type Machine,
  PENDING_HOOKS_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
  UPDATE_MACHINE_HOOK,
} from "@capstan/api";
import { machine } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import {
  keptRecords,
  recordedUpdatersLeft,
  recordProblem,
  type UpdateRecord,
  updateRecordsOf,
  updateRecordsText,
} from "./record.ts";

const RECORD: UpdateRecord = { updaters: ["resizer", "upgrader"], version: "v1.34.1", key: "" };
const SIGNS = { [UPDATE_IN_PROGRESS_ANNOTATION]: "", [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK };

/** A machine that its owner updates as recorded. */
function updating(overrides: { readonly spec?: object; readonly metadata?: object } = {}): Machine {
  return machine({
    metadata: { name: "one", annotations: SIGNS, ...overrides.metadata },
    spec: { version: "v1.34.1", updaters: [...RECORD.updaters], ...overrides.spec },
  });
}

describe("updaters", () => {
  test.each([
    ["start when the machine is as its owner recorded it", updating(), undefined],
    ["start when the first of them is done", updating({ spec: { updaters: ["upgrader"] } }), undefined],
    ["start after a move, which changes UIDs", updating({ metadata: { uid: "another" } }), undefined],
    [
      "do not start with one that was added",
      updating({ spec: { updaters: ["resizer", "upgrader", "evil"] } }),
      "spec.updaters is resizer, upgrader, evil, but its owner recorded resizer, upgrader",
    ],
    [
      "do not start in another order",
      updating({ spec: { updaters: ["upgrader", "resizer"] } }),
      "spec.updaters is upgrader, resizer, but its owner recorded resizer, upgrader",
    ],
    [
      "do not start for another version",
      updating({ spec: { version: "v1.35.0" } }),
      "spec.version is v1.35.0, but its owner recorded v1.34.1",
    ],
    [
      "do not start for another desired state",
      updating({ metadata: { annotations: { ...SIGNS, [UPDATE_IN_PROGRESS_ANNOTATION]: "key" } } }),
      "its owner recorded an update to another desired state",
    ],
  ])("%s", (_, object, problem) => {
    expect(recordProblem(object, RECORD)).toBe(problem);
  });

  test("do not start without a record", () => {
    expect(recordProblem(updating(), undefined)).toBe("its owner has not recorded an update of this machine");
  });

  test("that the owner did not record are not taken over from a failed update", () => {
    const object = updating({ spec: { updaters: ["evil", "upgrader"] } });
    expect(recordedUpdatersLeft(object, RECORD)).toEqual(["upgrader"]);
    expect(recordedUpdatersLeft(object, undefined)).toEqual([]);
  });
});

describe("records", () => {
  const withText = (text: string): Machine =>
    machine({ metadata: { name: "owner", annotations: { [STARTED_UPDATES_ANNOTATION]: text } } });

  test("are read as they were written, also those of a machine with the name of a method", () => {
    const records = new Map([
      ["one", RECORD],
      ["constructor", { ...RECORD, version: null }],
    ]);
    expect(updateRecordsOf(withText(updateRecordsText(records) ?? ""))).toEqual(records);
    expect(updateRecordsOf(withText("{}")).get("constructor")).toBeUndefined();
  });

  test.each(["", "{", "[1]", "null", '{"one":1}', '{"one":{"updaters":"a","version":null,"key":""}}'])(
    "%s records nothing",
    (text) => {
      expect(updateRecordsOf(withText(text)).size).toBe(0);
    },
  );

  const kept = (object: Machine, options: { readonly isKnown?: boolean; readonly isRecorded?: boolean }) =>
    keptRecords({
      records: new Map(options.isRecorded === true ? [["one", RECORD]] : []),
      machines: [object],
      version: "v1.34.1",
      isKnown: () => options.isKnown === true,
    }).get("one");

  test("stay while the machine is updated, and go when the update has ended or the machine is deleted", () => {
    expect(kept(updating(), { isRecorded: true })).toEqual(RECORD);
    expect(kept(updating({ metadata: { annotations: {} } }), { isRecorded: true })).toBeUndefined();
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(kept(updating({ metadata: { deletionTimestamp } }), { isRecorded: true })).toBeUndefined();
  });

  test("are made for an update that an earlier release started, and for no other one", () => {
    expect(kept(updating(), { isKnown: true })).toEqual(RECORD);
    const update = { updater: "resizer", specHash: "a", state: "InProgress", since: "" } as const;
    expect(kept({ ...updating(), status: { update } }, {})).toEqual(RECORD);
    expect(kept(updating(), {})).toBeUndefined();
  });
});
