import { describe, expect, test } from "vitest";
import type { OwnerReference } from "./meta.ts";
import {
  controllerOf,
  controllerReferenceTo,
  ensureOwnerReference,
  groupOf,
  isOwnedBy,
  isSameOwner,
  removeOwnerReference,
} from "./owner-references.ts";

const pool: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "MachinePool",
  name: "pool",
  uid: "1",
};
const cluster: OwnerReference = { ...pool, kind: "Cluster", name: "c1", uid: "2" };

describe("ensureOwnerReference", () => {
  test("adds a new owner at the end", () => {
    expect(ensureOwnerReference([pool], cluster)).toEqual([pool, cluster]);
    expect(ensureOwnerReference(undefined, cluster)).toEqual([cluster]);
  });

  test("replaces a reference to the same owner, with any version and UID", () => {
    const wanted = { ...pool, apiVersion: "cluster.x-k8s.io/v1beta2", uid: "9", controller: true };
    expect(ensureOwnerReference([pool, cluster], wanted)).toEqual([wanted, cluster]);
  });

  test("returns the same list when nothing changes", () => {
    const list = [pool, cluster];
    expect(ensureOwnerReference(list, { ...pool })).toBe(list);
  });
});

test("removes the reference to an owner and nothing else", () => {
  expect(removeOwnerReference([pool, cluster], { ...pool, apiVersion: "cluster.x-k8s.io/v1alpha3" })).toEqual(
    [cluster],
  );
  const list = [cluster];
  expect(removeOwnerReference(list, pool)).toBe(list);
});

test("distinguishes owners by group, kind and name", () => {
  expect(isSameOwner(pool, { ...pool, apiVersion: "cluster.x-k8s.io/v1beta2" })).toBe(true);
  expect(isSameOwner(pool, { ...pool, apiVersion: "other.io/v1beta1" })).toBe(false);
  expect(isSameOwner(pool, { ...pool, kind: "MachineSet" })).toBe(false);
  expect(isSameOwner(pool, { ...pool, name: "other" })).toBe(false);
  expect(groupOf("v1")).toBe("");
});

test("finds the controller among the owners", () => {
  const owned = { metadata: { name: "m", ownerReferences: [cluster, { ...pool, controller: true }] } };
  expect(controllerOf(owned)?.name).toBe("pool");
  expect(controllerOf({ metadata: { name: "m" } })).toBeUndefined();
});

test("belongs to an owner by UID, not by name", () => {
  const owned = { metadata: { name: "m", ownerReferences: [pool] } };
  expect(isOwnedBy(owned, { metadata: { name: "pool", uid: "1" } })).toBe(true);
  expect(isOwnedBy(owned, { metadata: { name: "pool", uid: "recreated" } })).toBe(false);
  expect(isOwnedBy({ metadata: { name: "m" } }, { metadata: { name: "pool" } })).toBe(false);
});

test("refers to a stored object as its controller", () => {
  const owner = {
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachinePool",
    metadata: { name: "pool", uid: "1" },
  };
  expect(controllerReferenceTo(owner)).toEqual({ ...pool, controller: true, blockOwnerDeletion: true });
  expect(() => controllerReferenceTo({ ...owner, metadata: { name: "pool" } })).toThrow("has no uid");
});
