import { APPROVED_UPDATE_ANNOTATION, KubeadmControlPlane, versionConversion } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { hashOf } from "../../../in-place/decisions.ts";
import { desiredKey } from "./desired-key.ts";

/** A control plane as the embedded server of release 0.1 stored it: kubectl sorts fields, and admission adds defaults. */
const OLDER_SPEC = {
  replicas: 3,
  version: "v1.34.1",
  rolloutStrategy: { type: "InPlace" },
  rolloutAfter: "2026-01-01T00:00:00Z",
  machineTemplate: {
    nodeDrainTimeout: "10m0s",
    infrastructureRef: {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "AzureMachineTemplate",
      name: "jetty",
      namespace: "default",
    },
  },
  kubeadmConfigSpec: {
    clusterConfiguration: { apiServer: { extraArgs: { "cloud-provider": "external", v: "2" } } },
    files: [{ content: "a", path: "/a", permissions: "0600" }],
    initConfiguration: {
      nodeRegistration: { kubeletExtraArgs: { b: "c" }, name: "a", imagePullPolicy: "IfNotPresent" },
    },
    joinConfiguration: { nodeRegistration: { name: "a", imagePullPolicy: "IfNotPresent" } },
    format: "cloud-config",
  },
};

/** The key that release 0.1 gave to a control plane. */
function keyOfRelease({
  version,
  kubeadmConfigSpec,
  machineTemplate,
  rolloutAfter,
}: typeof OLDER_SPEC): string {
  const { apiVersion, kind, name } = machineTemplate.infrastructureRef;
  return hashOf([version, kubeadmConfigSpec, apiVersion, kind, name, rolloutAfter]);
}

const toNewer = versionConversion(KubeadmControlPlane, { versionOf: () => "v1beta1" });

/** The same control plane as this release reads it. */
function readNow(spec: object, { approved = "", recorded = "" } = {}): KubeadmControlPlane {
  const annotations = approved === "" ? {} : { [APPROVED_UPDATE_ANNOTATION]: approved };
  const from = `${KubeadmControlPlane.group}/v1beta1`;
  const metadata = { name: "jetty", namespace: "default", annotations };
  const older = { apiVersion: from, kind: KubeadmControlPlane.kind, metadata, spec };
  const { object } = toNewer(older, { from, to: KubeadmControlPlane.apiVersion });
  const status = recorded === "" ? {} : { inPlace: { key: recorded, decisions: [] } };
  return { ...object, status } as unknown as KubeadmControlPlane;
}

/** As kube-apiserver stores it. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted((value as Record<string, unknown>)[name])]),
  ) as T;
}

describe("the key of a desired state", () => {
  test.each([
    ["the embedded server", OLDER_SPEC],
    ["kube-apiserver", sorted(OLDER_SPEC)],
  ])("stays that of release 0.1 while its rollout goes on, stored by %s", (_, spec) => {
    const key = keyOfRelease(spec);
    expect(desiredKey(readNow(spec, { recorded: key }))).toBe(key);
    expect(desiredKey(readNow(spec, { approved: key }))).toBe(key);
  });

  test("is a new one when the control plane has changed since", () => {
    const key = keyOfRelease(OLDER_SPEC);
    const changed = { ...OLDER_SPEC, version: "v1.34.2" };
    const now = desiredKey(readNow(changed, { recorded: key, approved: key }));
    expect([key, desiredKey(readNow(OLDER_SPEC))]).not.toContain(now);
    expect(now).toBe(desiredKey(readNow(changed)));
  });

  test("does not depend on replicas", () => {
    const key = keyOfRelease(OLDER_SPEC);
    expect(desiredKey(readNow({ ...OLDER_SPEC, replicas: 5 }, { recorded: key }))).toBe(key);
    expect(desiredKey(readNow({ ...OLDER_SPEC, replicas: 5 }))).toBe(desiredKey(readNow(OLDER_SPEC)));
  });
});
