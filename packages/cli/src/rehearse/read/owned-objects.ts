import {
  AzureMachinePoolMachine,
  customKinds,
  isJsonObject,
  KubeadmConfig,
  Machine,
  MachineDeployment,
  MachineSet,
  Secret,
} from "@capstan/api";
import type { GivenObject } from "../../plan/read/read-objects.ts";

/** Objects of a dump by what a rehearsal does with them. */
export interface SortedDump {
  /** What users own: it is created, and controllers grow the rest. */
  readonly owned: readonly GivenObject[];
  /** What controllers made: machines, their parts and Secrets. */
  readonly grown: readonly GivenObject[];
  /** Objects that are being deleted. */
  readonly leaving: readonly GivenObject[];
  /** Kinds that no rehearsal needs, with how many of them there are. */
  readonly ignored: ReadonlyMap<string, number>;
}

/** Kinds whose children their controllers make again. The objects that a MachinePool refers to are those of users. */
const MAKERS: ReadonlySet<string> = new Set([
  Machine.kind,
  MachineSet.kind,
  MachineDeployment.kind,
  "KubeadmControlPlane",
  "AzureMachinePool",
  "AzureMachineTemplate",
  "AzureManagedControlPlane",
  "AzureManagedMachinePool",
  "ManagedCluster",
  KubeadmConfig.kind,
]);

const GROUPS = new Set(customKinds.map(({ group, kind }) => `${group}/${kind}`));

/** Sorts the objects of a dump. */
export function sortDump(objects: readonly GivenObject[]): SortedDump {
  const owned: GivenObject[] = [];
  const grown: GivenObject[] = [];
  const leaving: GivenObject[] = [];
  const ignored = new Map<string, number>();
  for (const object of objects) {
    if (!isOurs(object)) ignored.set(object.kind, (ignored.get(object.kind) ?? 0) + 1);
    else if (metadataOf(object)["deletionTimestamp"] !== undefined) leaving.push(object);
    else if (isGrown(object)) grown.push(object);
    else owned.push(object);
  }
  return { owned, grown, leaving, ignored };
}

function isOurs({ apiVersion, kind }: GivenObject): boolean {
  if (apiVersion === Secret.apiVersion) return kind === Secret.kind;
  return GROUPS.has(`${apiVersion.slice(0, apiVersion.indexOf("/"))}/${kind}`);
}

function isGrown(object: GivenObject): boolean {
  if (object.kind === AzureMachinePoolMachine.kind) return true;
  // Authorities and kubeconfigs of simulated clusters are made again: a redacted one could not be used.
  if (object.kind === Secret.kind && object["type"] === "cluster.x-k8s.io/secret") return true;
  return ownersOf(object).some(({ kind }) => MAKERS.has(kind));
}

/** The owners of an object. */
export function ownersOf(
  object: GivenObject,
): readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[] {
  const owners = metadataOf(object)["ownerReferences"];
  return Array.isArray(owners) ? owners.filter(isReference) : [];
}

function isReference(value: unknown): value is { kind: string; name: string; controller?: boolean } {
  return isJsonObject(value) && typeof value["kind"] === "string" && typeof value["name"] === "string";
}

/** The metadata of an object that nothing but its name has been checked of. */
export function metadataOf(object: GivenObject): Readonly<Record<string, unknown>> {
  return object.metadata;
}

/** A field of an object by its path; undefined where there is none. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), value);
}

/** A text in an object by its path; undefined if it is something else. */
export function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldOf(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** Whether an object is of one of these kinds. */
export function isKind(object: GivenObject, ...names: readonly string[]): boolean {
  return names.includes(object.kind);
}

/** The kinds whose machines a rehearsal shows. */
export const MACHINE_KINDS: readonly string[] = [Machine.kind, AzureMachinePoolMachine.kind];
