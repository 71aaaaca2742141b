import { describe, expect, test } from "vitest";
import { withDefaults } from "../admission.ts";
import { DEFAULT_FEATURES } from "../features.ts";
import { formatFieldError } from "../values/field-error.ts";
import { KubeadmControlPlane } from "./kubeadm-control-plane.ts";

type Spec = KubeadmControlPlane["spec"];

const external = { endpoints: ["https://etcd:2379"], caFile: "/ca", certFile: "/cert", keyFile: "/key" };

const infrastructureRef = {
  apiGroup: "infrastructure.cluster.x-k8s.io",
  kind: "AzureMachineTemplate",
  name: "cp",
};

function controlPlane(spec: Partial<Spec> = {}): KubeadmControlPlane {
  return {
    apiVersion: "controlplane.cluster.x-k8s.io/v1beta2",
    kind: "KubeadmControlPlane",
    metadata: { name: "cp", namespace: "fleet" },
    spec: {
      version: "v1.31.2",
      machineTemplate: { spec: { infrastructureRef } },
      ...spec,
    },
  };
}

function verdict(object: KubeadmControlPlane, old?: KubeadmControlPlane) {
  const filled = withDefaults(KubeadmControlPlane, object);
  const request = { object: filled, ...(old && { old: withDefaults(KubeadmControlPlane, old) }) };
  const errors = KubeadmControlPlane.validate(request).map(formatFieldError);
  return { errors, warnings: KubeadmControlPlane.warn(request) };
}

test("gets replicas, leading v, strategy and format", () => {
  const { spec } = withDefaults(KubeadmControlPlane, controlPlane({ version: "1.31.2" }));
  expect(spec).toMatchObject({
    replicas: 1,
    version: "v1.31.2",
    rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
    kubeadmConfigSpec: { format: "cloud-config" },
  });
});

test("keeps an in-place strategy as it is", () => {
  const { spec } = withDefaults(
    KubeadmControlPlane,
    controlPlane({ rollout: { strategy: { type: "ExternalUpdate" } } }),
  );
  expect(spec.rollout?.strategy).toEqual({ type: "ExternalUpdate" });
});

describe("a control plane", () => {
  test.each([
    ["one machine", {}],
    ["five machines", { replicas: 5 }],
    [
      "an even number of machines with external etcd",
      { replicas: 2, kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } },
    ],
    [
      "scale-in with three machines",
      { replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } },
    ],
  ] as [string, Partial<Spec>][])("may have %s", (_, spec) => {
    expect(verdict(controlPlane(spec))).toEqual({ errors: [], warnings: [] });
  });

  test.each([
    ["no machines", { replicas: 0 }, "spec.replicas: Forbidden: cannot be less than or equal to 0"],
    [
      "an even number of machines",
      { replicas: 2 },
      "spec.replicas: Forbidden: cannot be an even number when etcd is stacked; it was 2, which tolerates no more failures than 1; use 1 or 3",
    ],
    [
      "scale-in with one machine",
      { rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } },
      "spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: 0: 0 takes a machine away first",
    ],
    [
      "a larger surge",
      { replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: 2 } } } },
      "spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: 2: value must be 1 or 0",
    ],
    [
      "a percentage as surge",
      { replicas: 3, rollout: { strategy: { rollingUpdate: { maxSurge: "50%" } } } },
      "value must be 1 or 0",
    ],
    [
      "an unnecessary fallback",
      { rollout: { strategy: { type: "RollingUpdate", fallbackRollingUpdate: {} } } },
      "spec.rollout.strategy.fallbackRollingUpdate: Forbidden",
    ],
    ["a bad version", { version: "v1" }, "spec.version: Invalid value"],
    [
      "a template without a name",
      { machineTemplate: { spec: { infrastructureRef: { apiGroup: "a.io", kind: "B" } } } },
      "spec.machineTemplate.spec.infrastructureRef.name: Required value",
    ],
    [
      "a bad DNS tag",
      { kubeadmConfigSpec: { clusterConfiguration: { dns: { imageTag: "a b" } } } },
      "spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag: Invalid value",
    ],
    [
      "two kinds of etcd",
      { replicas: 3, kubeadmConfigSpec: { clusterConfiguration: { etcd: { external, local: {} } } } },
      "cannot have both external and local etcd",
    ],
    [
      "certificates that outlive their authority",
      {
        kubeadmConfigSpec: {
          clusterConfiguration: { certificateValidityPeriodDays: 400, caCertificateValidityPeriodDays: 300 },
        },
      },
      "must not exceed caCertificateValidityPeriodDays, 300",
    ],
    [
      "a rollout before certificates are issued",
      {
        rollout: { before: { certificatesExpiryDays: 90 } },
        kubeadmConfigSpec: { clusterConfiguration: { certificateValidityPeriodDays: 90 } },
      },
      "spec.rollout.before.certificatesExpiryDays: Invalid value: 90",
    ],
    [
      "a bad retry period",
      { remediation: { retryPeriodSeconds: "1 h" } },
      "spec.remediation.retryPeriodSeconds: Invalid value",
    ],
    [
      "a bad drain timeout",
      {
        machineTemplate: { spec: { infrastructureRef, deletion: { nodeDrainTimeoutSeconds: -1 } } },
      },
      "spec.machineTemplate.spec.deletion.nodeDrainTimeoutSeconds: Invalid value",
    ],
  ] as [string, Partial<Spec>, string][])("may not have %s", (_, spec, message) => {
    expect(verdict(controlPlane(spec)).errors).toEqual([expect.stringContaining(message)]);
  });

  test.each(["InPlace", "ExternalUpdate"] as const)("may choose %s only with the feature gate", (type) => {
    const object = controlPlane({ rollout: { strategy: { type } } });
    const refusal =
      'spec.rollout.strategy.type: Invalid value: "' +
      type +
      '": needs the feature gate InPlaceUpdates; start the manager with --feature-gates InPlaceUpdates=true';
    expect(KubeadmControlPlane.validate({ object }).map(formatFieldError)).toEqual([refusal]);
    const features = { ...DEFAULT_FEATURES, InPlaceUpdates: true };
    expect(KubeadmControlPlane.validate({ object, features })).toEqual([]);
    // A control plane that has chosen it before the gate was switched off can still be changed.
    expect(KubeadmControlPlane.validate({ object, old: object })).toEqual([]);
  });

  test("with one machine and a fallback is warned about", () => {
    const rollout = { strategy: { type: "InPlace" as const, fallbackRollingUpdate: {} } };
    expect(verdict(controlPlane({ rollout })).warnings).toEqual([
      expect.stringContaining("a control plane with one machine is replaced"),
    ]);
    expect(verdict(controlPlane({ replicas: 3, rollout })).warnings).toEqual([]);
  });
});

describe("rollout.after of a control plane that is updated in place", () => {
  const after = "2026-01-01T00:00:00Z";
  const fallback = { type: "InPlace" as const, fallbackRollingUpdate: {} };

  test("is warned about, because no updater makes a newer machine", () => {
    expect(
      verdict(controlPlane({ replicas: 3, rollout: { after, strategy: { type: "InPlace" } } })).warnings,
    ).toEqual([
      "spec.rollout.after: no updater makes new machines, so updates in place wait for it; leave it out, or set spec.rollout.strategy.fallbackRollingUpdate",
    ]);
    expect(verdict(controlPlane({ replicas: 3, rollout: { after, strategy: fallback } })).warnings).toEqual(
      [],
    );
    expect(verdict(controlPlane({ replicas: 3, rollout: { after } })).warnings).toEqual([]);
  });
});

describe("an update of a control plane", () => {
  const SKIPPED = "one minor version at a time; upgrade all machines to v1.32 first";
  const LOWER =
    "all machines run v1.31, and v1.30 may not read what they have stored in etcd; choose a version of v1.31, or restore a backup into a new cluster";

  test.each<[to: string, lowest: string | undefined, refusal: string | undefined]>([
    ["v1.31.9", "v1.31.2", undefined],
    ["v1.31.1", "v1.31.2", undefined],
    ["v1.32.0", "v1.31.2", undefined],
    ["v1.33.0", "v1.31.2", `cannot update Kubernetes version from v1.31.2 to v1.33.0: ${SKIPPED}`],
    [
      "v2.0.0",
      "v1.31.2",
      "cannot update Kubernetes version from v1.31.2 to v2.0.0: one minor version at a time",
    ],
    ["v1.30.0", "v1.31.2", `cannot downgrade Kubernetes from v1.31.2 to v1.30.0: ${LOWER}`],
    ["v1.30.7", "v1.30.5", undefined],
    ["v1.30.0", undefined, undefined],
    [
      "v1.32.0",
      "v1.30.5",
      "cannot update Kubernetes version from v1.30.5 to v1.32.0: one minor version at a time; upgrade all machines to v1.31 first",
    ],
  ])("from v1.31.2 to %s while the lowest version of a machine is %s: %s", (version, lowest, refusal) => {
    const old = { ...controlPlane(), ...(lowest !== undefined && { status: { version: lowest } }) };
    expect(verdict(controlPlane({ version }), old).errors).toEqual(
      refusal === undefined ? [] : [`spec.version: Forbidden: ${refusal}`],
    );
  });

  test("that leaves the version alone is allowed, however old the machines are", () => {
    const old = { ...controlPlane(), status: { version: "v1.28.0" } };
    expect(verdict(controlPlane({ replicas: 3 }), old).errors).toEqual([]);
  });

  test("may change the machine template", () => {
    const changed = controlPlane({
      replicas: 3,
      kubeadmConfigSpec: {
        files: [{ path: "/etc/a", content: "a" }],
        clusterConfiguration: { apiServer: { extraArgs: [{ name: "v", value: "4" }] } },
      },
    });
    expect(verdict(changed, controlPlane()).errors).toEqual([]);
  });

  test("may not change settings that kubeadm applies only once", () => {
    const of = (
      clusterConfiguration: NonNullable<NonNullable<Spec["kubeadmConfigSpec"]>["clusterConfiguration"]>,
    ) => controlPlane({ kubeadmConfigSpec: { clusterConfiguration } });
    const before = of({ controlPlaneEndpoint: "demo:6443" });
    const changed = of({ certificatesDir: "/etc/pki", controlPlaneEndpoint: "other:6443" });
    const why = "cannot be modified, because kubeadm applies it only when it initializes the cluster";
    expect(verdict(changed, before).errors).toEqual([
      `spec.kubeadmConfigSpec.clusterConfiguration.certificatesDir: Forbidden: ${why}; leave it out, or create another cluster`,
      `spec.kubeadmConfigSpec.clusterConfiguration.controlPlaneEndpoint: Forbidden: ${why}; keep "demo:6443", or create another cluster`,
    ]);
  });

  test("may not move etcd out of the cluster", () => {
    const changed = controlPlane({ kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } });
    expect(verdict(changed, controlPlane()).errors).toEqual([
      "spec.kubeadmConfigSpec.clusterConfiguration.etcd.external: Forbidden: cannot change between external and local etcd, because the data would stay behind; create another cluster",
    ]);
  });
});
