import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { DEFAULT_IMAGE } from "../manifest.ts";
import { inOrder, installation } from "./installation.ts";
import { installedKinds, type Manifest } from "./names.ts";

const CONFIG = join(import.meta.dirname, "../../../../config");

const inFiles = (pattern: string): Manifest[] =>
  globSync(pattern, { cwd: CONFIG })
    .filter((path) => !path.endsWith("/kustomization.yaml"))
    .flatMap((path) => parseAllDocuments(readFileSync(join(CONFIG, path), "utf8")))
    .map((document) => document.toJS() as Manifest);
const byName = (manifests: readonly Manifest[]): Map<string, Manifest> =>
  new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest]));

test("the files in config/ match the installation; `npm run generate` writes them", () => {
  expect(byName(inFiles("{rbac,manager,webhook}/*.yaml"))).toEqual(
    byName(inOrder(installation(DEFAULT_IMAGE))),
  );
});

test.each(installation(DEFAULT_IMAGE).webhook.slice(1))("$kind covers each of our kinds", (manifest) => {
  const { webhooks } = manifest as unknown as {
    webhooks: { rules: { apiGroups: string[]; apiVersions: string[]; resources: string[] }[] }[];
  };
  const asked = webhooks.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups, apiVersions, resources }) =>
      resources.map((resource) => `${apiGroups.join()}/${apiVersions.join()}/${resource}`),
    ),
  );
  expect(asked.sort()).toEqual(
    installedKinds.map(({ apiVersion, plural }) => `${apiVersion}/${plural}`).sort(),
  );
});
