import { describe, expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { Cluster } from "./cluster.ts";

const infrastructureRef = {
  apiGroup: "infrastructure.cluster.x-k8s.io",
  kind: "AzureCluster",
  name: "c1",
};
const controlPlaneRef = {
  apiGroup: "controlplane.cluster.x-k8s.io",
  kind: "KubeadmControlPlane",
  name: "c1",
};

function cluster(spec: Cluster["spec"], name = "c1"): Cluster {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { name, namespace: "fleet" },
    spec,
  };
}

function errorsOf(object: Cluster, old?: Cluster): string[] {
  const filled = withDefaults(Cluster, object);
  return validateObject(Cluster, { object: filled, ...(old && { old }) }).errors.map(formatFieldError);
}

describe("a cluster is refused", () => {
  test("with a topology, and the message says what to do instead", () => {
    expect(
      errorsOf(cluster({ topology: { classRef: { name: "quick-start" }, version: "v1.31.0" } })),
    ).toEqual([
      "spec.topology: Forbidden: ClusterClass is not supported yet; set spec.infrastructureRef and spec.controlPlaneRef instead",
    ]);
  });

  test("without any reference", () => {
    expect(errorsOf(cluster({}))).toEqual([
      expect.stringContaining("spec: Required value: set at least one of"),
    ]);
  });

  test("with a name that is not a valid label value", () => {
    expect(errorsOf(cluster({ infrastructureRef }, "c".repeat(64)))).toEqual([
      expect.stringContaining("must be a valid label value"),
    ]);
  });

  test("with ranges that are not CIDR blocks", () => {
    const clusterNetwork = {
      pods: { cidrBlocks: ["10.0.0.0/16", "10.0.0.0/64"] },
      services: { cidrBlocks: ["x"] },
    };
    expect(errorsOf(cluster({ infrastructureRef, clusterNetwork }))).toEqual([
      'spec.clusterNetwork.pods.cidrBlocks[1]: Invalid value: "10.0.0.0/64": must be a CIDR block, such as 10.0.0.0/16 or fd00::/64',
      expect.stringContaining("spec.clusterNetwork.services.cidrBlocks[0]"),
    ]);
  });

  test("when it loses a reference", () => {
    expect(errorsOf(cluster({ infrastructureRef }), cluster({ infrastructureRef, controlPlaneRef }))).toEqual(
      ["spec.controlPlaneRef: Forbidden: cannot be removed"],
    );
  });
});

test("a cluster may get a control plane later", () => {
  expect(errorsOf(cluster({ infrastructureRef, controlPlaneRef }), cluster({ infrastructureRef }))).toEqual(
    [],
  );
});
