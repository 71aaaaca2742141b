import { createRng } from "@capstan/env";
import { includes } from "@capstan/api";
import { machine, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { fixedFieldsOf, machineConfiguration, newMachineName } from "./configuration.ts";
import { setOwner } from "./set-owner.ts";

describe("the configuration of a machine", () => {
  const set = machineSet({
    metadata: { name: "web", namespace: "default", uid: "1" },
    spec: {
      clusterName: "demo",
      template: {
        metadata: { labels: { team: "a", "cluster.x-k8s.io/cluster-name": "forged" } },
        spec: { deletion: { nodeDrainTimeoutSeconds: 300 }, version: "v1.31.1" },
      },
    },
  });
  const existing = machine({
    metadata: { name: "web-1", namespace: "default" },
    spec: { clusterName: "demo", version: "v1.30.0" },
  });

  test("has the labels of the template, but not one that says whose the machine is", () => {
    const { metadata } = machineConfiguration(setOwner(set), fixedFieldsOf(existing), {});
    expect(metadata.labels).toEqual({
      team: "a",
      "cluster.x-k8s.io/cluster-name": "demo",
      "cluster.x-k8s.io/set-name": "web",
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "MachineSet", name: "web", controller: true }]);
  });

  test("keeps the fields of the creation, and follows the template in those that need no new machine", () => {
    const { spec } = machineConfiguration(setOwner(set), fixedFieldsOf(existing), {});
    expect(spec).toMatchObject({ version: "v1.30.0", deletion: { nodeDrainTimeoutSeconds: 300 } });
    expect(Object.values(spec)).not.toContain(undefined);
  });
});

describe("a configuration is included in an object", () => {
  test.each([
    ["with more fields and items", { a: [1, { b: 2, c: 3 }], d: 4 }, { a: [{ b: 2 }] }, true],
    ["with another value", { a: 1 }, { a: 2 }, false],
    ["without an item", { a: [1] }, { a: [1, 2] }, false],
    ["that does not store an empty map", {}, { a: {} }, true],
    ["that lacks a list", {}, { a: [] }, false],
  ])("%s", (_, object, configuration, expected) => {
    expect(includes(object, configuration)).toBe(expected);
  });
});

test("the name of a machine fits into a hostname, and its random part is never cut", () => {
  const values = { ".machineSet.name": "x".repeat(80), ".cluster.name": "demo" };
  const name = newMachineName(
    { template: "{{ .machineSet.name }}-{{ .random }}-n", values },
    createRng("1", "names"),
  );
  expect(name).toMatch(/^x+[a-z0-9]{5}-n$/);
  expect(name).toHaveLength(63);
});
