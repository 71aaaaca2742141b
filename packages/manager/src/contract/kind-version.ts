import { contractVersionIn, customKinds, CustomResourceDefinition, type Frozen } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";

/** A kind that a reference names: without a version, as in v1beta2. */
interface GroupKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

// The version of a kind whose CRD says nothing. A read must not fail because of it, and most providers serve it.
const ASSUMED_VERSION = "v1beta1";

// What each server has said about kinds of other providers. They change with a release of the provider.
const versions = new WeakMap<object, Map<string, string>>();

/** The client that reads CRDs. */
export type DefinitionReader = Pick<Client, "find">;

/**
 * The version of a kind that references name by group and kind alone: for a kind of ours the one that our controllers
 * speak, for others the one that the CRD's contract label names, else the stored one.
 */
export async function versionOf(
  client: DefinitionReader,
  { group, kind, plural }: GroupKind,
): Promise<string> {
  const ours = customKinds.find((one) => one.kind === kind && one.group === group);
  if (ours) return ours.version;
  const name = `${plural}.${group}`;
  const known = versions.get(client)?.get(name);
  if (known !== undefined) return known;
  const version = versionIn(await readDefinition(client, name));
  if (version !== undefined) remembered(client).set(name, version);
  return version ?? ASSUMED_VERSION;
}

/** Forgets the version of a kind that the server no longer serves, so that its CRD is read again. */
export function forgetVersion(client: DefinitionReader, { group, plural }: GroupKind): void {
  versions.get(client)?.delete(`${plural}.${group}`);
}

function remembered(client: DefinitionReader): Map<string, string> {
  const known = versions.get(client) ?? new Map<string, string>();
  versions.set(client, known);
  return known;
}

/** A CRD; undefined if there is none, or if it may not be read. */
async function readDefinition(
  client: DefinitionReader,
  name: string,
): Promise<Frozen<CustomResourceDefinition> | undefined> {
  try {
    return await client.find(CustomResourceDefinition, { name });
  } catch (error) {
    if (error instanceof Failure && error.failure === "Terminal") return undefined;
    throw error;
  }
}

function versionIn(definition: Frozen<CustomResourceDefinition> | undefined): string | undefined {
  const stored = definition?.spec.versions.find(({ storage }) => storage)?.name;
  return contractVersionIn(definition?.metadata.labels) ?? stored;
}
