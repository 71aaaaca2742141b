import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { KubernetesObject } from "@capstan/api";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

/** Kinds whose objects have a Secret NAME-azure-json, so that two of them must not share a name either. */
const WITH_CLOUD_CONFIG: ReadonlySet<string> = new Set(["AzureMachinePool", "AzureMachineTemplate"]);

function objectsIn(file: string): readonly KubernetesObject[] {
  const documents = parseAllDocuments(readFileSync(file, "utf8"));
  return documents.map((one) => one.toJS() as KubernetesObject | null).filter((one) => one !== null);
}

test("no two examples have an object in common, so that deleting one never deletes another", () => {
  const folders = new Map<string, Set<string>>();
  for (const file of globSync("examples/*/*.yaml")) {
    if (file.includes("scenarios") || file.endsWith("cloud-init.yaml")) continue;
    for (const { kind, metadata } of objectsIn(file)) {
      const names = [`${kind} ${metadata.name}`];
      if (WITH_CLOUD_CONFIG.has(kind)) names.push(`Secret ${metadata.name}-azure-json`);
      for (const name of names) folders.set(name, (folders.get(name) ?? new Set()).add(dirname(file)));
    }
  }
  expect(folders.size).toBeGreaterThan(30);
  const shared = [...folders].filter(([, found]) => found.size > 1);
  expect(shared.map(([name, found]) => `${name}: ${[...found].join(", ")}`)).toEqual([]);
});
