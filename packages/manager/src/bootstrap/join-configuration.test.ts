import { parseYaml } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { RSA_AUTHORITY } from "./authority.fixture.ts";
import { discoveryKubeconfig, needsAuthority, needsToken } from "./discovery.ts";
import { joinConfigurationText, kubeadmApiVersion } from "./join-configuration.ts";
import { RICH_SPEC, RICH_WORKER } from "./rich-config.fixture.ts";

type Given = Parameters<typeof joinConfigurationText>[0];

const { target } = RICH_WORKER;

function documentOf(given: Given, version: "v1beta3" | "v1beta4" = "v1beta4"): unknown {
  return parseYaml(joinConfigurationText(given, { target, version, role: "worker" }));
}

test.each([
  ["v1.21.14", undefined],
  ["v1.22.0", "v1beta3"],
  ["v1.30.14", "v1beta3"],
  ["v1.31.0-alpha.1", "v1beta4"],
  ["v1.31.0", "v1beta4"],
  ["1.34.1", "v1beta4"],
  ["v2.0.0", undefined],
  ["latest", undefined],
])("kubeadm of %s reads %s", (version, expected) => {
  expect(kubeadmApiVersion(version)).toBe(expected);
});

const REST = {
  kind: "JoinConfiguration",
  caCertPath: "/etc/kubernetes/pki/other-ca.crt",
  skipPhases: ["preflight"],
  patches: { directory: "/etc/kubernetes/patches" },
};
const TOKEN_DISCOVERY = {
  token: "abcdef.0123456789abcdef",
  apiServerEndpoint: "c1-4f2d.westeurope.cloudapp.azure.com:6443",
  caCertHashes: [RSA_AUTHORITY.hash],
};
const REGISTRATION = {
  name: '{{ ds.meta_data["local_hostname"] }}',
  criSocket: "unix:///run/containerd/containerd.sock",
  taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }],
  ignorePreflightErrors: ["SystemVerification"],
  imagePullPolicy: "IfNotPresent",
};

describe("a join configuration", () => {
  test("of v1beta4 has arguments as a list, and timeouts of their own", () => {
    expect(documentOf(RICH_SPEC.joinConfiguration ?? {})).toEqual({
      ...REST,
      apiVersion: "kubeadm.k8s.io/v1beta4",
      discovery: { bootstrapToken: TOKEN_DISCOVERY },
      timeouts: { tlsBootstrap: "7m0s" },
      nodeRegistration: {
        ...REGISTRATION,
        imagePullSerial: false,
        kubeletExtraArgs: [
          { name: "azure-container-registry-config", value: "/etc/kubernetes/azure.json" },
          { name: "cloud-provider", value: "external" },
          { name: "node-labels", value: "pool=blue" },
        ],
      },
    });
  });

  test("of v1beta3 has arguments as a map, and the timeout of the discovery in it", () => {
    expect(documentOf(RICH_SPEC.joinConfiguration ?? {}, "v1beta3")).toEqual({
      ...REST,
      apiVersion: "kubeadm.k8s.io/v1beta3",
      discovery: { bootstrapToken: TOKEN_DISCOVERY, timeout: "7m0s" },
      nodeRegistration: {
        ...REGISTRATION,
        kubeletExtraArgs: {
          "azure-container-registry-config": "/etc/kubernetes/azure.json",
          "cloud-provider": "external",
          "node-labels": "pool=blue",
        },
      },
    });
  });

  test.each([
    ["none said", {}, undefined],
    ["an empty list", { taints: [] }, []],
  ])("distinguishes %s of taints", (_, nodeRegistration, expected) => {
    const { nodeRegistration: printed } = documentOf({ nodeRegistration }) as {
      nodeRegistration: { taints?: unknown };
    };
    expect(printed.taints).toEqual(expected);
  });

  test("keeps the user's discovery, and completes it", () => {
    const bootstrapToken = {
      token: "fedcba.fedcba9876543210",
      caCertHashes: ["sha256:aa"],
      apiServerEndpoint: "10.0.0.1:6443",
    };
    expect(documentOf({ discovery: { bootstrapToken, tlsBootstrapToken: "x" } })).toMatchObject({
      discovery: { bootstrapToken, tlsBootstrapToken: "x" },
    });
    expect(documentOf({ discovery: { bootstrapToken: { unsafeSkipCAVerification: true } } })).toMatchObject({
      discovery: { bootstrapToken: { token: target.token, unsafeSkipCAVerification: true } },
    });
    const file = { kubeConfigPath: "/etc/kubernetes/discovery.conf" };
    expect(documentOf({ discovery: { file } })).toMatchObject({ discovery: { file } });
  });
});

describe("a discovery by file", () => {
  const user = { exec: { command: "login", env: [{ name: "A", value: "b" }] } };

  test("gets its kubeconfig with the address and the authority of the cluster", () => {
    const text = discoveryKubeconfig({ kubeConfigPath: "/x", kubeConfig: { user } }, target) ?? "";
    const authority = Buffer.from(RSA_AUTHORITY.pem).toString("base64");
    expect(parseYaml(text)).toMatchObject({
      clusters: [
        { cluster: { server: `https://${target.endpoint}`, "certificate-authority-data": authority } },
      ],
      users: [{ user: { exec: { command: "login", env: [{ name: "A", value: "b" }] } } }],
      "current-context": "default",
    });
  });

  test("keeps the user's kubeconfig otherwise", () => {
    expect(discoveryKubeconfig({ kubeConfigPath: "/x" }, target)).toBeUndefined();
  });

  test.each([
    [{}, true, true],
    [{ bootstrapToken: { token: "a" } }, false, true],
    [{ bootstrapToken: { caCertHashes: ["sha256:aa"] } }, true, false],
    [{ bootstrapToken: { unsafeSkipCAVerification: true } }, true, false],
    [{ file: { kubeConfigPath: "/x" } }, false, false],
    [{ file: { kubeConfigPath: "/x", kubeConfig: { user } } }, false, true],
    [
      { file: { kubeConfigPath: "/x", kubeConfig: { user, cluster: { certificateAuthorityData: "YQ==" } } } },
      false,
      false,
    ],
  ])("the discovery %j needs a token: %s, and the authority: %s", (discovery, token, authority) => {
    expect([needsToken(discovery), needsAuthority(discovery)]).toEqual([token, authority]);
  });
});
