/**
 * `npm run package [-- --image NAME] [--out FOLDER]`: writes what clusterctl installs, the Azure provider alone, as a version of a
 * local repository: components, metadata and cluster templates.
 */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Scalar, stringify } from "yaml";
import { definitions, inOrder, installation } from "../packages/cli/src/install/installation.ts";
import { MANAGER, type Manifest, selectionOf } from "../packages/cli/src/install/names.ts";
import { DEFAULT_IMAGE, VERSION } from "../packages/cli/src/manifest.ts";

const TEMPLATES = "config/clusterctl";
// clusterctl knows a provider by this name and by the folder.
const PROVIDER = "infrastructure-capstan";
const VARIABLES = [{ name: "AZURE_NODE_OS_CACHING", value: quoted("${AZURE_NODE_OS_CACHING:=false}") }];

const { values } = parseArgs({
  options: {
    image: { type: "string", default: DEFAULT_IMAGE },
    out: { type: "string", default: "dist/clusterctl" },
  },
});
const folder = join(values.out, PROVIDER, `v${VERSION}`);
mkdirSync(folder, { recursive: true });
for (const file of readdirSync(TEMPLATES)) copyFileSync(join(TEMPLATES, file), join(folder, file));
const components = join(folder, "infrastructure-components.yaml");
writeFileSync(components, componentsOf(values.image));
console.log(`wrote ${folder}; name the provider in the configuration file of clusterctl:`);
console.log(
  stringify({
    providers: [{ name: "capstan", type: "InfrastructureProvider", url: `file://${resolve(components)}` }],
  }),
);

function componentsOf(image: string): string {
  const selection = selectionOf(["azure"]);
  const manifests = [
    ...definitions(selection),
    ...inOrder(installation(image, selection)).map(withVariables),
  ];
  const options = { aliasDuplicateObjects: false, lineWidth: 0 } as const;
  return manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join("");
}

/** clusterctl replaces variables in the text; in quotes the value is a text after that, too, as a Deployment wants it. */
function quoted(text: string): Scalar {
  return Object.assign(new Scalar(text), { type: Scalar.QUOTE_DOUBLE });
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly object[] } };
}

/** The Deployment with the variables that clusterctl replaces, in quotes: a value is a text, also after that. */
function withVariables(manifest: Manifest): Manifest {
  if (manifest.kind !== "Deployment" || manifest.metadata.name !== MANAGER) return manifest;
  const spec = manifest["spec"] as PodTemplate;
  const containers = spec.template.spec.containers.map((container) => ({ ...container, env: VARIABLES }));
  const template = { ...spec.template, spec: { ...spec.template.spec, containers } };
  return { ...manifest, spec: { ...spec, template } };
}
