import { describe, expect, test } from "vitest";
import { covers } from "./covers.ts";
import { bodyToSend, type DesiredWrite, hashOf } from "./desired-operation.ts";
import { HASH_TAG } from "@capstan/api";

const put = (body: DesiredWrite["body"]): DesiredWrite => ({
  verb: "PUT",
  resourceID: "/subscriptions/s",
  body,
});

describe("the hash of a wish", () => {
  test("does not depend on the order of fields or on fields that are undefined", () => {
    expect(hashOf(put({ a: 1, b: { c: [1, { d: 2, e: undefined }] } }))).toBe(
      hashOf(put({ b: { c: [1, { d: 2 }] }, a: 1 })),
    );
  });

  test.each([{ a: 2 }, { a: "1" }, { a: [1] }, { a: 1, b: null }, {}])("differs for %j", (body) => {
    expect(hashOf(put(body))).not.toBe(hashOf(put({ a: 1 })));
  });

  test("of an action depends on the action and its instances", () => {
    const hashes = (["reimage", "delete"] as const).flatMap((action) =>
      [["1"], ["1", "2"]].map((instanceIDs) =>
        hashOf({ verb: "POST", resourceID: "/s", action, instanceIDs }),
      ),
    );
    expect(new Set(hashes).size).toBe(4);
  });

  test("of an action on instances is the one that stored records have", () => {
    const desired = { verb: "POST", resourceID: "/s", action: "reimage", instanceIDs: ["1"] } as const;
    expect(hashOf(desired)).toBe("70ec1827f1d9824b5ea6f1d70b1dbed0");
  });

  test("travels as a tag beside the others", () => {
    const desired = put({ tags: { team: "x" } });
    expect(bodyToSend(desired)).toEqual({ tags: { team: "x", [HASH_TAG]: hashOf(desired) } });
    expect(bodyToSend({ ...desired, hasNoTags: true })).toEqual(desired.body);
  });
});

describe("what is there covers what is wanted", () => {
  test.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: [{ x: 1, y: 2 }] }, { a: [{ x: 1 }] }, true],
    [{ a: [1, 2] }, { a: [1] }, false],
    [{ a: "/Subscriptions/S/x" }, { a: "/subscriptions/s/X" }, true],
    [{ a: "Text" }, { a: "text" }, false],
    [undefined, { a: 1 }, false],
    [{ a: null }, { a: {} }, false],
  ])("%j and %j: %s", (observed, desired, expected) => {
    expect(covers(observed, desired)).toBe(expected);
  });
});
