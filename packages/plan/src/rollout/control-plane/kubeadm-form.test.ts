import type { KubeadmConfig } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { initForm, isSameConfig, joinForm } from "./kubeadm-form.ts";

type Spec = KubeadmConfig["spec"];

const VERSION = "v1.34.1";
const registration = {
  name: "{{ ds.meta_data.local_hostname }}",
  kubeletExtraArgs: [{ name: "cloud-provider", value: "external" }],
};
const given: Spec = {
  format: "cloud-config",
  clusterConfiguration: { apiServer: { extraArgs: [{ name: "v", value: "2" }] } },
  initConfiguration: { nodeRegistration: registration },
  joinConfiguration: { nodeRegistration: registration },
  files: [{ path: "/etc/a", content: "a" }],
};

test("the first machine gets the init form, and the others the join form", () => {
  const init = initForm(given, VERSION);
  const join = joinForm(given, VERSION);
  expect([init.joinConfiguration, join.initConfiguration]).toEqual([undefined, undefined]);
  expect(join.joinConfiguration?.controlPlane).toEqual({});
  expect(init.clusterConfiguration).toEqual(join.clusterConfiguration);
});

test.each([
  ["v1.30.9", undefined],
  ["v1.31.0", { ControlPlaneKubeletLocalMode: true }],
  ["v1.35.2", { ControlPlaneKubeletLocalMode: true }],
  ["v1.36.0", undefined],
])("kubelets of %s get the feature gates %j", (version, gates) => {
  expect(joinForm({}, version).clusterConfiguration?.featureGates).toEqual(gates);
});

test("a gate of the user stays", () => {
  const gates = { ControlPlaneKubeletLocalMode: false };
  expect(
    joinForm({ clusterConfiguration: { featureGates: gates } }, VERSION).clusterConfiguration?.featureGates,
  ).toEqual(gates);
});

describe("a machine is up to date", () => {
  test.each<[string, Spec]>([
    ["in the init form", initForm(given, VERSION)],
    ["in the join form", joinForm(given, VERSION)],
    ["with fields that other controllers fill in", filled(joinForm(given, VERSION))],
    ["with empty lists and maps", { ...joinForm(given, VERSION), users: [], mounts: [] }],
    ["with a default written out", withPolicy(joinForm(given, VERSION))],
  ])("%s", (_, current) => {
    expect(isSameConfig(current, given, VERSION)).toBe(true);
  });

  test("after an upgrade without other changes, whose version the Machine tells", () => {
    expect(isSameConfig(initForm(given, "v1.33.5"), given, VERSION)).toBe(true);
  });
});

describe("a machine is outdated", () => {
  test.each<[string, Spec]>([
    [
      "by other arguments of a component",
      { ...given, clusterConfiguration: { apiServer: { extraArgs: [{ name: "v", value: "4" }] } } },
    ],
    ["by another file", { ...given, files: [{ path: "/etc/a", content: "b" }] }],
    ["by another command", { ...given, preKubeadmCommands: ["true"] }],
    ["by no taints instead of the default ones", withTaints(given)],
  ])("%s", (_, desired) => {
    expect(isSameConfig(joinForm(given, VERSION), desired, VERSION)).toBe(false);
    expect(isSameConfig(initForm(given, VERSION), desired, VERSION)).toBe(false);
  });
});

function filled(spec: Spec): Spec {
  return {
    ...spec,
    clusterConfiguration: {
      ...spec.clusterConfiguration,
      controlPlaneEndpoint: "a:6443",
    },
    joinConfiguration: { ...spec.joinConfiguration, discovery: { bootstrapToken: { token: "x" } } },
  };
}

function withPolicy(spec: Spec): Spec {
  const nodeRegistration = { ...registration, imagePullPolicy: "IfNotPresent" as const };
  return { ...spec, joinConfiguration: { ...spec.joinConfiguration, nodeRegistration } };
}

function withTaints(spec: Spec): Spec {
  const nodeRegistration = { ...registration, taints: [] };
  return { ...spec, initConfiguration: { nodeRegistration }, joinConfiguration: { nodeRegistration } };
}
