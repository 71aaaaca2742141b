import { describe, expect, test } from "vitest";
import { isDeletable, isDisruptable, isUpdatable, needsReimage, needsUpgrade } from "./drained-machine.ts";
import { deleting, updating } from "./instances.fixture.ts";

const JOINED = { uid: "other", isReady: true };

describe("the instance of a machine that is being deleted", () => {
  test("is deleted when its Node is drained, and when it never had one", () => {
    expect(isDeletable(deleting(0))).toBe(true);
    expect(isDeletable(deleting(0, { hadNoNode: true, node: undefined }))).toBe(true);
  });

  test("stays while a Node that joined late is not drained", () => {
    expect(isDeletable(deleting(0, { hadNoNode: true, node: JOINED }))).toBe(false);
    expect(isDeletable(deleting(0, { hadNoNode: true, node: { ...JOINED, isReady: false } }))).toBe(true);
  });

  test("stays when the drained Node is another one than it has now", () => {
    const update = { startedMs: 0, nodeUID: "node" };
    expect(isDeletable(deleting(0, { update, node: JOINED }))).toBe(false);
    expect(isDeletable(deleting(0, { update }))).toBe(true);
  });

  test("is not deleted twice", () => {
    expect(isDisruptable(deleting(0, { provisioningState: "Deleting" }))).toBe(false);
  });
});

describe("the instance of a machine that is updated in place", () => {
  test("is updated once its own controller has started the update and Azure is done with it", () => {
    expect(isUpdatable(updating(0))).toBe(true);
    expect(isUpdatable(updating(0, { update: undefined }))).toBe(false);
    expect(isUpdatable(updating(0, { isUpdateAsked: false }))).toBe(false);
    expect(isUpdatable(updating(0, { provisioningState: "Updating" }))).toBe(false);
    expect(isUpdatable(updating(0, { isDeleting: true }))).toBe(false);
  });

  test("is upgraded if it has an older model, unless its Node is back and must be drained again", () => {
    expect(needsUpgrade(updating(0))).toBe(true);
    expect(needsUpgrade(updating(0, { isLatestModel: true }))).toBe(false);
    expect(needsUpgrade(updating(0, { node: JOINED }))).toBe(false);
    expect(needsUpgrade(updating(0, { node: { uid: "node", isReady: true } }))).toBe(true);
  });

  test("is re-imaged if it has the new model and its old disk", () => {
    const current = { isLatestModel: true } as const;
    expect(needsReimage(updating(0, current))).toBe(false);
    expect(needsReimage(updating(0, { ...current, isReimageRecorded: true }))).toBe(true);
    expect(needsReimage(updating(0, { ...current, provisionedMs: 500 }))).toBe(true);
    expect(needsReimage(updating(0, { ...current, provisionedMs: undefined }))).toBe(false);
    expect(needsReimage(updating(0, { ...current, isReimageRecorded: true, node: JOINED }))).toBe(false);
    expect(needsReimage(updating(0, { isReimageRecorded: true }))).toBe(false);
  });
});
