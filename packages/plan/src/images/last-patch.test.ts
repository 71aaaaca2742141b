import { formatTimestamp } from "@capstan/api";
import { node } from "@capstan/runtime/testing/builders";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decideLastPatch, parseLastPatch, patchLevelOf } from "./last-patch.ts";

const NOW_MS = Date.parse("2026-01-17T10:00:00Z");
const JOINED_MS = Date.parse("2026-01-10T08:00:00Z");
const facts = { annotation: undefined, fingerprint: "aaaa1111", nodeCreatedMs: JOINED_MS, nowMs: NOW_MS };

test.each<[string, string | undefined, string | undefined]>([
  ["is the time of the join at first", undefined, "2026-01-10T08:00:00Z aaaa1111"],
  ["is not written again while it is right", "2026-01-10T08:00:00Z aaaa1111", undefined],
  [
    "is the time at which a change was noticed",
    "2026-01-10T08:00:00Z bbbb2222",
    "2026-01-17T10:00:00Z aaaa1111",
  ],
  ["is replaced when another client has written anything", "yesterday", "2026-01-17T10:00:00Z aaaa1111"],
  [
    "is replaced when its time is in the future",
    "2027-01-01T00:00:00Z aaaa1111",
    "2026-01-17T10:00:00Z aaaa1111",
  ],
  [
    "is replaced when its time does not exist",
    "2026-13-40T00:00:00Z aaaa1111",
    "2026-01-17T10:00:00Z aaaa1111",
  ],
])("the last patch of a machine %s", (_, annotation, expected) => {
  expect(decideLastPatch({ ...facts, annotation })).toBe(expected);
});

test("whatever the annotation was, it is written once, and then it is right", () => {
  fc.assert(
    fc.property(fc.option(fc.string(), { nil: undefined }), (annotation) => {
      const written = decideLastPatch({ ...facts, annotation }) ?? annotation;
      expect(decideLastPatch({ ...facts, annotation: written, nowMs: NOW_MS + 1000 })).toBeUndefined();
      expect(parseLastPatch(written)?.at).toSatisfy((at: string) => at <= formatTimestamp(NOW_MS));
    }),
  );
});

test("a restart that kured asks for is a new patch level, and a container image is not", () => {
  const before = node({ status: { nodeInfo: { kernelVersion: "6.8.0-azure" } } });
  const level = patchLevelOf(before);
  const marked = {
    ...before.metadata.annotations,
    "weave.works/kured-most-recent-reboot-needed": "2026-01-17",
  };
  expect(patchLevelOf({ ...before, metadata: { ...before.metadata, annotations: marked } })).not.toBe(level);
  expect(patchLevelOf({ ...before, status: { ...before.status, images: [{ names: ["app"] }] } })).toBe(level);
});
