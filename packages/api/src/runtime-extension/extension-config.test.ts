import { expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { ExtensionConfig } from "./extension-config.ts";

type ClientConfig = ExtensionConfig["spec"]["clientConfig"];

const service = { name: "updater", namespace: "fleet" };

function config(clientConfig: ClientConfig, spec: object = {}, name = "updater"): ExtensionConfig {
  return {
    apiVersion: "runtime.cluster.x-k8s.io/v1alpha1",
    kind: "ExtensionConfig",
    metadata: { name },
    spec: { clientConfig, ...spec },
  };
}

function errorsOf(object: ExtensionConfig): string[] {
  return validateObject(ExtensionConfig, { object: withDefaults(ExtensionConfig, object) }).errors.map(
    formatFieldError,
  );
}

test("gets a selector for all namespaces and the port of https", () => {
  expect(withDefaults(ExtensionConfig, config({ service })).spec).toEqual({
    clientConfig: { service: { ...service, port: 443 } },
    namespaceSelector: {},
  });
});

test.each([
  { service },
  { service: { ...service, path: "/hooks", port: 9443 } },
  { url: "https://example.com:9443/hooks" },
])("takes %j", (clientConfig) => {
  expect(errorsOf(config(clientConfig))).toEqual([]);
});

test.each([
  [{}, "spec.clientConfig: Required value: either url or service must be defined"],
  [{ url: "https://a", service }, "spec.clientConfig: Forbidden: only one of url or service can be defined"],
  [{ url: "http://a" }, 'spec.clientConfig.url: Invalid value: "http://a": must use https'],
  [{ url: "not a url" }, "must be a valid URL"],
  [{ url: "https://user:pass@a" }, "must have no user, query or fragment"],
  [{ url: "https://a/?x=1" }, "must have no user, query or fragment"],
  [{ service: { ...service, name: "1st" } }, "spec.clientConfig.service.name: Invalid value"],
  [{ service: { ...service, namespace: "a.b" } }, "spec.clientConfig.service.namespace: Invalid value"],
  [{ service: { ...service, path: "hooks" } }, "spec.clientConfig.service.path: Invalid value"],
  [{ service: { ...service, port: 70000 } }, "spec.clientConfig.service.port: Invalid value: 70000"],
] as [ClientConfig, string][])("refuses %j", (clientConfig, message) => {
  expect(errorsOf(config(clientConfig))).toEqual([expect.stringContaining(message)]);
});

test("refuses an invalid selector and a name that is not a label", () => {
  expect(errorsOf(config({ service }, { namespaceSelector: { matchLabels: { a: "b c" } } }))).toEqual([
    expect.stringContaining("spec.namespaceSelector: Invalid value"),
  ]);
  expect(errorsOf(config({ service }, {}, "a.b"))).toEqual([
    expect.stringContaining("metadata.name: Invalid value"),
  ]);
});
