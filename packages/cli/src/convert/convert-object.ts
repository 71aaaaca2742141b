/** Which objects of manifests are converted, to which version, and what a conversion loses. */
import {
  CONVERSION_DATA_ANNOTATION,
  customKinds,
  type CustomKind,
  fieldMoves,
  isJsonObject,
  type JsonObject,
  type Moves,
  versionConversion,
} from "@capstan/api";
import { CommandError } from "../command-error.ts";
import type { Target } from "./target.ts";

// All kinds of these groups have both versions. Versions of infrastructure kinds are those of their provider: of ours only some
// have another one, and those of others are not known here.
const GROUPS: ReadonlySet<string> = new Set(
  ["cluster", "bootstrap.cluster", "controlplane.cluster", "runtime.cluster"].map(
    (name) => `${name}.x-k8s.io`,
  ),
);

/** An object of a kind with several versions, and its version after the conversion. */
export interface ConvertedObject {
  readonly object: JsonObject;
  /** Where its fields have gone. */
  readonly moves: readonly Moves[];
  /** What was lost, each as a sentence that begins with the path. */
  readonly warnings: readonly string[];
  /** How messages refer to it. */
  readonly title: string;
}

/** What becomes of an object. */
export type Fate =
  | { readonly type: "converted"; readonly result: ConvertedObject }
  /** It is not one of ours, or its kind has one version, or it has the desired version already. */
  | { readonly type: "kept" }
  /** It is of a group that has both versions, but its kind is not known here. */
  | { readonly type: "unknown"; readonly title: string };

/** Converts an object of a manifest. A version that no server has is an error. */
export function convertObject(object: JsonObject, to: Target): Fate {
  const { apiVersion, kind: name } = object;
  if (typeof apiVersion !== "string" || typeof name !== "string") return { type: "kept" };
  const [group = "", version = ""] = apiVersion.split("/");
  const kind = customKinds.find((one) => one.group === group && one.kind === name);
  if (!kind && GROUPS.has(group)) return { type: "unknown", title: titleIn(object) };
  if (!kind || kind.converted.length === 0) return { type: "kept" };
  checkVersion(kind, object, version);
  const desired = targetOf(kind, to);
  if (version === desired) return { type: "kept" };
  return { type: "converted", result: convert(kind, object, { version: desired, to }) };
}

function checkVersion(kind: CustomKind, object: JsonObject, version: string): void {
  const versions = versionsOf(kind);
  if (versions.includes(version)) return;
  throw new CommandError(
    `${titleIn(object)} has apiVersion ${String(object["apiVersion"])}; its versions are ${versions.join(" and ")}`,
  );
}

/** The versions of a kind, the older ones first. */
function versionsOf({ version, converted }: CustomKind): readonly string[] {
  return [version, ...converted.map((other) => other.version)].sort();
}

/** The version of a kind that belongs to a target: runtime extensions had v1alpha1 when the others had v1beta1. */
function targetOf(kind: CustomKind, to: Target): string {
  if (kind.converted.length === 0) return kind.version;
  const versions = versionsOf(kind);
  return versions.includes(to) ? to : (versions[0] ?? kind.version);
}

function convert(
  kind: CustomKind,
  object: JsonObject,
  { version, to }: { readonly version: string; readonly to: Target },
): ConvertedObject {
  const versions = { from: String(object["apiVersion"]), to: `${kind.group}/${version}` };
  const converted = versionConversion(kind, { versionOf: versionOfReference(to) })(object, versions);
  const carried =
    carriedIn(converted.object) !== undefined && carriedIn(object) !== carriedIn(converted.object);
  return {
    object: converted.object,
    moves: fieldMoves(kind, versions),
    warnings: [...converted.warnings, ...(carried ? [CARRIED] : [])],
    title: titleIn(object),
  };
}

const CARRIED = `metadata.annotations[${CONVERSION_DATA_ANNOTATION}]: was added; it carries what the older version has no field for`;

function carriedIn({ metadata }: JsonObject): unknown {
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations[CONVERSION_DATA_ANNOTATION] : undefined;
}

/** References name the version that the manifests of the kind have after the conversion. */
function versionOfReference(to: Target): (group: string, kind: string) => string | undefined {
  return (group, name) => {
    const kind = customKinds.find((one) => one.group === group && one.kind === name);
    return kind && targetOf(kind, to);
  };
}

/** The version of a list of objects of one kind, such as a MachineDeploymentList; undefined if it stays. */
export function listVersion({ apiVersion, kind }: JsonObject, to: Target): string | undefined {
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const [group = ""] = apiVersion.split("/");
  const listed = customKinds.find((one) => one.group === group && `${one.kind}List` === kind);
  return listed && listed.converted.length > 0 ? `${group}/${targetOf(listed, to)}` : undefined;
}

/** How messages refer to an object, which may have no name yet. */
function titleIn({ kind, metadata }: JsonObject): string {
  const { name, generateName, namespace } = isJsonObject(metadata) ? metadata : {};
  const known = [name, generateName].find((one) => typeof one === "string");
  if (known === undefined) return `a ${String(kind)} without a name`;
  return `${String(kind)} ${typeof namespace === "string" ? `${namespace}/` : ""}${known}`;
}
