/** What a controller of AKS cannot fulfil, as a condition. */
import { type AsoObject, type Frozen, isJsonObject, type Kind, type KubernetesObject } from "@capstan/api";
import type { Context } from "@capstan/runtime";
import type { ConditionUpdate } from "../contract/ready.ts";
import { adoptionChanges, fieldsKeptByOthers, isStorageVersion } from "@capstan/plan";
import { isForeign, type Kept, type KeptObject } from "./keep-object.ts";

const FULFILLED = "SpecFulfilled";

/** An object, and what a user would have to change on it if it is their own, each as a part of a sentence. */
interface Fulfilled extends Kept {
  readonly differences: readonly string[];
}

/** Reports whether the manifests are fulfilled as far as Capstan can. */
export async function reportFulfilled<T extends KubernetesObject>(
  { context }: { readonly context: Context<T> },
  { kind, patches }: KeptObject,
  fulfilled: Fulfilled,
): Promise<void> {
  const { object, isBringYourOwn, differences } = fulfilled;
  const texts = patches?.texts ?? [];
  if (isBringYourOwn) {
    context.setCondition(broughtCondition(object, texts.length > 0, differences));
    return;
  }
  if (isForeign(fulfilled)) {
    context.setCondition(adoptionCondition(object));
    return;
  }
  if (await reportUnkept({ context }, { kind, condition: FULFILLED }, fulfilled)) return;
  const isKept = fieldsKeptByOthers(object, texts).length > 0;
  context.setCondition(removedCondition(isKept ? await liveObject(context, kind, object) : object, texts));
}

/** Names in a condition a field that the server does not keep; returns whether there is one. */
export async function reportUnkept<T extends KubernetesObject>(
  { context }: { readonly context: Context<T> },
  { kind, condition: type }: Pick<KeptObject, "kind" | "condition">,
  { object, unkept: [field] }: Pick<Kept, "object" | "unkept">,
): Promise<boolean> {
  if (field === undefined) return false;
  const live = await liveObject(context, kind, object);
  context.setCondition({ type, ...unkeptCondition(live, kind, field) });
  return true;
}

/** The cache does not keep who owns a field. */
async function liveObject<T extends KubernetesObject>(
  { client }: Context<T>,
  kind: Kind<AsoObject>,
  object: Frozen<AsoObject>,
): Promise<Frozen<AsoObject>> {
  const { name, namespace } = object.metadata;
  return (await client.find(kind, { name, namespace })) ?? object;
}

function broughtCondition(
  { kind, metadata }: Frozen<AsoObject>,
  hasPatches: boolean,
  differences: readonly string[],
): ConditionUpdate {
  const parts = [...differences, ...(hasPatches ? ["patches do not apply to it"] : [])];
  if (parts.length === 0) return { type: FULFILLED, status: "True", reason: "NothingHidden" };
  const message = `${kind} ${metadata.name} was created by its user and is only read: ${parts.join("; ")}`;
  return { type: FULFILLED, status: "False", severity: "Warning", reason: "ManagedByUser", message };
}

/** A resource that its user may adopt: what that would change. */
function adoptionCondition(object: Frozen<AsoObject>): ConditionUpdate {
  const changes = adoptionChanges(object, object.status);
  if (changes.length === 0) return { type: FULFILLED, status: "True", reason: "NothingHidden" };
  const message = `${object.kind} ${object.metadata.name} is only read, because its AKS cluster is not adopted; adoption would change ${changes.join(", ")} in Azure`;
  return { type: FULFILLED, status: "False", severity: "Warning", reason: "NotAdopted", message };
}

/** Without the condition a field that is lost on its way to the stored version would be missed in Azure alone. */
function unkeptCondition(
  object: Frozen<AsoObject>,
  { kind, version }: Pick<Kind, "kind" | "version">,
  field: string,
): Omit<ConditionUpdate, "type"> {
  const writers = writersInOtherVersions(object, version);
  const cause =
    writers.length === 0
      ? "the version in which Azure Service Operator stores the object has no such field, or another value for it; leave the field out, or upgrade Azure Service Operator"
      : `${writers.join(" and ")} wrote the object too, and the server converts it to their versions; let them write it in ${version}`;
  const message = `${field} of ${kind} ${object.metadata.name} is lost although it is applied in ${version}: ${cause}`;
  return { status: "False", severity: "Warning", reason: "FieldNotKept", message };
}

/** The field managers of other versions than this one and the operator's own, each with its version. */
function writersInOtherVersions({ metadata }: Frozen<AsoObject>, version: string): readonly string[] {
  const entries: readonly unknown[] = metadata.managedFields ?? [];
  const writers = entries.flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry["apiVersion"] !== "string") return [];
    const written = entry["apiVersion"].split("/").at(-1) ?? "";
    const isOther = written !== version && !isStorageVersion(written);
    return isOther ? [`field manager ${String(entry["manager"])} (${written})`] : [];
  });
  return [...new Set(writers)].toSorted();
}

function removedCondition(object: Frozen<AsoObject>, patches: readonly string[]): ConditionUpdate {
  const [kept] = fieldsKeptByOthers(object, patches);
  if (!kept) return { type: FULFILLED, status: "True", reason: "NothingHidden" };
  const by = kept.owners.length > 0 ? kept.owners.join(", ") : "the default of the server";
  const message = `A patch removes ${kept.path} of ${object.kind} ${object.metadata.name}, and ${by} keeps its value`;
  return { type: FULFILLED, status: "False", severity: "Warning", reason: "FieldOwnedByOther", message };
}
