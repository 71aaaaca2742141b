import { expect, test } from "vitest";
import { newerFirst } from "./version-order.ts";

test("versions are ordered as Kubernetes orders them", () => {
  const versions = [
    "foo1",
    "v1alpha1",
    "v10",
    "v2",
    "v11beta2",
    "v1",
    "v12alpha1",
    "v3beta1",
    "foo10",
    "v11alpha2",
    "v10beta3",
  ];
  expect([...versions].sort(newerFirst)).toEqual([
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "v1alpha1",
    "foo1",
    "foo10",
  ]);
});
