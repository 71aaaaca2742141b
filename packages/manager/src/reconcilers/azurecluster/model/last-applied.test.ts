import { expect, test } from "vitest";
import { planOf } from "./cluster.fixture.ts";
import { annotationsFor, applied, joined, lastAppliedIn } from "./last-applied.ts";

const given = (record: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );

test("the applied state is the same when read back from the annotations", () => {
  const after = applied(planOf({ additionalTags: { team: "a" } }));
  expect(lastAppliedIn(given(annotationsFor(after)))).toEqual({
    tags: { team: "a" },
    rules: { "c1-controlplane-nsg": { allow_ssh: "Allow SSH", allow_apiserver: "Allow K8s API Server" } },
  });
});

test("an empty state needs no annotation", () => {
  expect(given(annotationsFor({ tags: {}, rules: { g: {} } }))).toEqual({});
});

test("the annotations have both the old and the new state before the first write", () => {
  const before = { tags: { old: "1" }, rules: { g: { a: "" }, gone: { x: "" } } };
  const after = { tags: { new: "2" }, rules: { g: { b: "" } } };
  expect(joined(before, after)).toEqual({
    tags: { old: "1", new: "2" },
    rules: { g: { a: "", b: "" }, gone: { x: "" } },
  });
});

test.each(["{", "[]", "3", `{"a":1}`])("an invalid annotation, %s, removes nothing", (text) => {
  expect(lastAppliedIn({ "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-rg": text }).tags).toEqual(
    {},
  );
});
