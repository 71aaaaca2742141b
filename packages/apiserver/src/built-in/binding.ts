import { deepCopy, formatTimestamp, type Pod } from "@capstan/api";
import { badRequest, conflict, failed } from "../http/status.ts";
import type { Context } from "../registry/context.ts";
import { update } from "../registry/update.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import { type Call, success } from "./call.ts";

interface Binding {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** Binds a pod to a node, as a scheduler does. Only once per pod. */
export async function bind(context: Context, { target, body, options }: Call): Promise<unknown> {
  const { metadata = {}, target: node = {} } = body as Binding;
  if (metadata.name !== target.name) throw badRequest("name in URL does not match name in Binding object");
  if (node.kind !== undefined && node.kind !== "" && node.kind !== "Node")
    throw failed(
      `target.kind: Unsupported value: ${JSON.stringify(node.kind)}: supported values: "Node", "<empty>"`,
    );
  const nodeName = node.name ?? "";
  if (nodeName === "") throw failed("target.name: Required value");
  const produce = (old: StoredObject): unknown => {
    const why = obstacle(old as unknown as Pod, metadata.uid);
    if (why !== undefined) throw conflict({ group: "", plural: "pods/binding" }, target.name, why);
    return bound(old, { nodeName, metadata, now: formatTimestamp(context.env.clock.now()) });
  };
  await update(context, { ...target, subresource: "binding" }, { produce, source: "patch", options });
  return success(201);
}

function obstacle({ metadata, spec }: Pod, uid: string | undefined): string | undefined {
  const { name } = metadata;
  if (uid !== undefined && uid !== "" && uid !== metadata.uid)
    return `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName !== undefined && spec.nodeName !== "")
    return `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  return undefined;
}

function bound(
  old: StoredObject,
  { nodeName, metadata, now }: { nodeName: string; metadata: NonNullable<Binding["metadata"]>; now: string },
): Draft {
  const pod = deepCopy(old) as unknown as Draft & Pod;
  pod.spec = { containers: [], ...pod.spec, nodeName };
  if (metadata.annotations)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  if (metadata.labels) pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: now } as const;
  pod.status = { ...pod.status, conditions: [...others, scheduled] };
  return pod;
}
