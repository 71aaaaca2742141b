import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOwned, mergedTags, tagsIn, tagsOf } from "./ownership-tags.ts";

const OWNER = { clusterName: "c1", clusterKey: "default/c1" };
const OWNED = "sigs.k8s.io_cluster-api-provider-azure_cluster_c1";

describe("the tags of a resource", () => {
  test("have the owner, the role and the user's tags", () => {
    expect(tagsOf({ ...OWNER, additionalTags: { team: "a", [OWNED]: "shared" } }, "apiserver", "lb")).toEqual(
      {
        team: "a",
        [OWNED]: "owned",
        capstan_cluster: "default/c1",
        "sigs.k8s.io_cluster-api-provider-azure_role": "apiserver",
        Name: "lb",
      },
    );
  });

  test.each([
    [{ [OWNED]: "owned" }, true],
    [{ [OWNED.toUpperCase()]: "owned" }, true],
    [{ [OWNED]: "shared" }, false],
    [{ [`${OWNED}-b`]: "owned" }, false],
    [{ [OWNED.slice(0, -1)]: "owned" }, false],
    [{ [OWNED]: "owned", capstan_cluster: "default/c1" }, true],
    [{ [OWNED]: "owned", Capstan_Cluster: "team-b/c1" }, false],
    [undefined, false],
  ])("%j mark it as owned: %s", (tags, expected) => {
    expect(isOwned({ tags }, OWNER)).toBe(expected);
  });

  test("are read without the one that identifies a write", () => {
    expect(tagsIn({ tags: { a: "1", "capstan_wanted-hash": "x", odd: 3 } })).toEqual({ a: "1" });
  });
});

test.each([
  ["others stay", { theirs: "1" }, { ours: "2" }, {}, { theirs: "1", ours: "2" }],
  ["Capstan's tags are restored", { ours: "changed" }, { ours: "2" }, { ours: "2" }, { ours: "2" }],
  ["a tag that left the spec is removed", { old: "1", theirs: "1" }, {}, { old: "1" }, { theirs: "1" }],
  ["a tag of another client stays", { old: "1" }, {}, {}, { old: "1" }],
  ["names differ in case only", { Team: "a" }, { team: "b" }, {}, { team: "b" }],
])("three-way: %s", (_, observed, desired, lastApplied, expected) => {
  expect(mergedTags(observed, desired, lastApplied)).toEqual(expected);
});

test("merged once more, tags stay the same, and tags of other clients stay", () => {
  const tags = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), fc.constantFrom("1", "2"));
  fc.assert(
    fc.property(tags, tags, tags, (observed, desired, lastApplied) => {
      const merged = mergedTags(observed, desired, lastApplied);
      expect(mergedTags(merged, desired, { ...lastApplied, ...desired })).toEqual(merged);
      for (const [name, value] of Object.entries(observed)) {
        if (!(name in desired) && !(name in lastApplied)) expect(merged[name]).toBe(value);
      }
      expect(merged).toMatchObject(desired);
    }),
  );
});
