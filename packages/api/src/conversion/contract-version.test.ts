import { expect, test } from "vitest";
import { contractVersionIn, olderContractVersionIn } from "./contract-version.ts";

const [OLDER, NEWER] = ["cluster.x-k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"];

test.each([
  [{ [OLDER]: "v1beta1", [NEWER]: "v1beta1" }, "v1beta1"],
  [{ [OLDER]: "v1beta1", [NEWER]: "v1beta2" }, "v1beta2"],
  [{ [OLDER]: "v1alpha4_v1beta1" }, "v1beta1"],
  [{ [NEWER]: "v1beta10_v1_v1beta9" }, "v1"],
  [{ [OLDER]: "v1beta1", [NEWER]: "" }, "v1beta1"],
  [{ "cluster.x-k8s.io/provider": "infrastructure-rocket" }, undefined],
  [{}, undefined],
])("a CRD with the labels %j is read in %s", (labels, version) => {
  expect(contractVersionIn(labels)).toBe(version);
});

test.each([
  [{ [OLDER]: "v1beta1", [NEWER]: "v1beta2" }, "v1beta1"],
  [{ [OLDER]: "v1alpha4_v1beta1", [NEWER]: "v1beta2" }, "v1beta1"],
  [{ [NEWER]: "v1beta2" }, "v1beta2"],
  [{ [OLDER]: "", [NEWER]: "v1beta2" }, "v1beta2"],
  [{}, undefined],
])("objects of v1beta1 refer to a CRD with the labels %j in %s", (labels, version) => {
  expect(olderContractVersionIn(labels)).toBe(version);
});
