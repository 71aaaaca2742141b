import { describe, expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { KubeadmConfig } from "./kubeadm-config.ts";
import { KubeadmConfigTemplate } from "./kubeadm-config-template.ts";

type Spec = KubeadmConfig["spec"];

const names = {
  apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
  metadata: { name: "boot", namespace: "fleet" },
};

function config(spec: Spec): KubeadmConfig {
  return { ...names, kind: "KubeadmConfig", spec };
}

function template(spec?: Spec): KubeadmConfigTemplate {
  return { ...names, kind: "KubeadmConfigTemplate", spec: { template: spec ? { spec } : {} } };
}

function errorsOf(spec: Spec): string[] {
  const object = withDefaults(KubeadmConfig, config(spec));
  return validateObject(KubeadmConfig, { object }).errors.map(formatFieldError);
}

test("a config gets its format and pull policy", () => {
  const { spec } = withDefaults(
    KubeadmConfig,
    config({
      joinConfiguration: { nodeRegistration: {} },
      initConfiguration: { nodeRegistration: { imagePullPolicy: "Always" } },
    }),
  );
  expect(spec).toEqual({
    format: "cloud-config",
    joinConfiguration: { nodeRegistration: { imagePullPolicy: "IfNotPresent" } },
    initConfiguration: { nodeRegistration: { imagePullPolicy: "Always" } },
  });
});

describe("a config is refused", () => {
  const secret = { secret: { name: "s", key: "k" } };
  test.each([
    [
      "two files at one path",
      { files: [{ path: "/a" }, { path: "/a" }] },
      'spec.files[1].path: Duplicate value: "/a"',
    ],
    [
      "a file with two sources",
      { files: [{ path: "/a", content: "x", contentFrom: secret }] },
      "spec.files[0].contentFrom: Forbidden: set either content or contentFrom",
    ],
    [
      "a file from what is not the name of a Secret",
      { files: [{ path: "/a", contentFrom: { secret: { name: "../../victim/secrets/prize", key: "k" } } }] },
      'spec.files[0].contentFrom.secret.name: Invalid value: "../../victim/secrets/prize"',
    ],
    [
      "a password from what is not the name of a Secret",
      { users: [{ name: "u", passwdFrom: { secret: { name: "a/b", key: "k" } } }] },
      'spec.users[0].passwdFrom.secret.name: Invalid value: "a/b"',
    ],
    [
      "a user with two passwords",
      { users: [{ name: "u", passwd: "x", passwdFrom: secret }] },
      "spec.users[0].passwdFrom: Forbidden: set either passwd or passwdFrom",
    ],
    [
      "a disk that is too full",
      {
        diskSetup: {
          partitions: [{ device: "/dev/sdb", diskLayout: [{ percentage: 60 }, { percentage: 50 }] }],
        },
      },
      "spec.diskSetup.partitions[0].diskLayout: Invalid value: 110",
    ],
    [
      "a kubeconfig without credentials",
      { joinConfiguration: { discovery: { file: { kubeConfigPath: "/k", kubeConfig: { user: {} } } } } },
      "spec.joinConfiguration.discovery.file.kubeConfig.user: Invalid value",
    ],
    [
      "a bad token lifetime",
      { initConfiguration: { bootstrapTokens: [{ token: "a.b", ttlSeconds: "1d" }] } },
      "spec.initConfiguration.bootstrapTokens[0].ttlSeconds: Invalid value",
    ],
    [
      "a bad timeout",
      { initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: "20 minutes" } } },
      "spec.initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds: Invalid value",
    ],
    [
      "a bad discovery timeout",
      { joinConfiguration: { timeouts: { tlsBootstrapSeconds: "x" } } },
      "spec.joinConfiguration.timeouts.tlsBootstrapSeconds: Invalid value",
    ],
    [
      "the format ignition",
      { format: "ignition" },
      "spec.format: Forbidden: the format ignition is not supported yet",
    ],
    [
      "settings for ignition",
      { ignition: {} },
      "spec.ignition: Forbidden: the format ignition is not supported yet",
    ],
  ] as [string, object, string][])("with %s", (_, spec, message) => {
    expect(errorsOf(spec as Spec)).toEqual([expect.stringContaining(message)]);
  });
});

describe("a template", () => {
  test("has the same rules one level deeper", () => {
    const object = withDefaults(KubeadmConfigTemplate, template({ files: [{ path: "/a" }, { path: "/a" }] }));
    const { errors } = validateObject(KubeadmConfigTemplate, { object });
    expect(errors.map(({ field }) => field)).toEqual(["spec.template.spec.files[1].path"]);
  });

  test("may be empty", () => {
    const object = withDefaults(KubeadmConfigTemplate, template());
    expect(object.spec.template.spec).toEqual({ format: "cloud-config" });
    expect(validateObject(KubeadmConfigTemplate, { object }).errors).toEqual([]);
  });
});
