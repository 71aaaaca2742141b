import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { KubernetesObject } from "@capstan/api";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

/** Kinds whose objects have a Secret NAME-azure-json, so that two of them must not share a name either. */
const WITH_CLOUD_CONFIG: ReadonlySet<string> = new Set(["AzureMachinePool", "AzureMachineTemplate"]);

/** The groups of Cluster API whose kinds have both versions; infrastructure kinds have CAPZ's. */
const OWN_GROUPS: ReadonlySet<string> = new Set(
  ["cluster", "bootstrap.cluster", "controlplane.cluster", "runtime.cluster"].map(
    (name) => `${name}.x-k8s.io`,
  ),
);

/** Scenarios, durations, user data and workflows of CI are not manifests; the dump of a rehearsal and its changes are never applied. */
function hasObjects(file: string): boolean {
  return !/^examples\/(scenarios|ci|rehearse|image-caching\/simulation)\/|cloud-init\.yaml$/.test(file);
}

function objectsIn(file: string): readonly KubernetesObject[] {
  const documents = parseAllDocuments(readFileSync(file, "utf8"));
  return documents.map((one) => one.toJS() as KubernetesObject | null).filter((one) => one !== null);
}

test("no two examples have an object in common, so that deleting one never deletes another", () => {
  const folders = new Map<string, Set<string>>();
  for (const file of globSync("examples/*/*.yaml")) {
    if (!hasObjects(file)) continue;
    for (const { kind, metadata } of objectsIn(file)) {
      const names = [`${kind} ${metadata.name}`];
      if (WITH_CLOUD_CONFIG.has(kind)) names.push(`Secret ${metadata.name}-azure-json`);
      // Those of v1beta1 are one file each.
      const place = file.startsWith("examples/v1beta1/") ? file : dirname(file);
      for (const name of names) folders.set(name, (folders.get(name) ?? new Set()).add(place));
    }
  }
  expect(folders.size).toBeGreaterThan(30);
  const shared = [...folders].filter(([, found]) => found.size > 1);
  expect(shared.map(([name, found]) => `${name}: ${[...found].join(", ")}`)).toEqual([]);
});

test("every example is in v1beta2 of Cluster API, apart from those that show v1beta1", () => {
  const versions = new Map<string, string[]>();
  for (const file of globSync("examples/**/*.yaml")) {
    if (!hasObjects(file)) continue;
    for (const { apiVersion } of objectsIn(file)) {
      const [group = "", version = ""] = apiVersion.split("/");
      if (!OWN_GROUPS.has(group)) continue;
      const place = file.startsWith("examples/v1beta1/") ? "v1beta1" : "others";
      versions.set(place, [...(versions.get(place) ?? []), version]);
    }
  }
  expect(new Set(versions.get("v1beta1"))).toEqual(new Set(["v1beta1", "v1alpha1"]));
  expect(new Set(versions.get("others"))).toEqual(new Set(["v1beta2"]));
});
