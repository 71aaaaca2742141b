import {
  CLUSTER_NAME_LABEL,
  type ContractReference,
  type Frozen,
  groupOf,
  isJsonObject,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
} from "@capstan/api";
import { type Failure, terminal } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";

/** Cluster API records in this annotation which template an object was cloned from; in the next one its kind and group. */
export const CLONED_FROM_NAME_ANNOTATION = "cluster.x-k8s.io/cloned-from-name";
const CLONED_FROM_GROUP_KIND_ANNOTATION = "cluster.x-k8s.io/cloned-from-groupkind";

/** The metadata of a clone in addition to that of its template. */
export interface CloneOptions {
  readonly name: string;
  readonly clusterName: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerReference;
}

const SUFFIX = "Template";

/** A reference to the template that an object was cloned from; undefined if it was not cloned. */
export function cloneSourceOf({
  annotations = {},
}: Frozen<ObjectMeta>): Frozen<ContractReference> | undefined {
  const { [CLONED_FROM_NAME_ANNOTATION]: name, [CLONED_FROM_GROUP_KIND_ANNOTATION]: groupKind } = annotations;
  if (name === undefined || groupKind === undefined) return undefined;
  const [kind = "", ...group] = groupKind.split(".");
  return { apiGroup: group.join("."), kind, name };
}

/**
 * The object that a template of any provider describes, by Cluster API's contract: a kind named XTemplate has the spec of
 * an X in `spec.template.spec`. Only `spec.template.metadata` is copied, not the template's own metadata; labels and
 * annotations of the options take precedence. Throws a Failure that names the error in the template.
 */
export function cloneTemplate(template: Frozen<ContractObject>, options: CloneOptions): KubernetesObject {
  const { apiVersion, kind, metadata } = template;
  if (!kind.endsWith(SUFFIX) || kind === SUFFIX) {
    throw incorrect(template, `a kind that can be cloned ends with ${SUFFIX}, such as AzureMachineTemplate`);
  }
  const inner = fieldsOf(fieldsOf(template.spec)["template"]);
  if (!isJsonObject(inner["spec"])) throw incorrect(template, "spec.template.spec is not an object");
  const { labels, annotations } = fieldsOf(inner["metadata"]);
  return {
    apiVersion,
    kind: kind.slice(0, -SUFFIX.length),
    metadata: {
      name: options.name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels: { ...textsOf(labels), ...options.labels, [CLUSTER_NAME_LABEL]: options.clusterName },
      annotations: {
        ...textsOf(annotations),
        ...options.annotations,
        [CLONED_FROM_NAME_ANNOTATION]: metadata.name,
        [CLONED_FROM_GROUP_KIND_ANNOTATION]: `${kind}.${groupOf(apiVersion)}`,
      },
      ...(options.owner && { ownerReferences: [{ ...options.owner }] }),
    },
    spec: structuredClone(inner["spec"]),
  } as KubernetesObject;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function incorrect({ kind, metadata }: Frozen<ContractObject>, problem: string): Failure {
  return terminal("IncorrectTemplate", `${kind} ${metadata.name} cannot be cloned: ${problem}`);
}
