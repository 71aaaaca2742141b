import { type Kind, type KubernetesObject } from "@capstan/api";
import { kindNamed, kindOfObject } from "./known-kinds.ts";
import { jsonOf, type Place } from "./located-yaml.ts";
import { documentsIn, mapped, type Reader, type Reading, shown, someFields, text } from "./reader.ts";

/** An object to apply, and its kind. */
export interface AppliedObject {
  readonly kind: Kind;
  readonly object: KubernetesObject;
}

/** The default namespace of objects. */
const DEFAULT_NAMESPACE = "default";

/** The name of a kind, such as MachinePool. */
export const kindName: Reader<Kind> = mapped(
  text("the name of a kind, such as MachinePool"),
  (name, place, reading) => {
    const found = kindNamed(name);
    if ("kind" in found) return found.kind;
    reading.report(place, `${shown(place)}: ${found.message}`);
    return undefined;
  },
);

const named = someFields({ name: text("the name of an object") }, { namespace: text("a namespace") });

/** A text with its position. */
const word: Reader<{ readonly word: string; readonly place: Place }> = mapped(
  text("a text"),
  (given, place) => ({
    word: given,
    place,
  }),
);

/** An object as for kubectl apply. */
export const appliedObject: Reader<AppliedObject> = mapped(
  someFields({ apiVersion: word, kind: word, metadata: named }, {}),
  (header, place, reading) => {
    const found = kindOfObject(header.apiVersion.word, header.kind.word);
    if (!("kind" in found)) {
      const wrong = header[found.unknown].place;
      reading.report(wrong, `${shown(wrong)}: ${found.message}`);
      return undefined;
    }
    const { name } = header.metadata;
    mentionMade(found.kind, name, { place, reading });
    const object = jsonOf(place) as KubernetesObject;
    const namespace = found.kind.namespaced ? { namespace: DEFAULT_NAMESPACE } : {};
    return { kind: found.kind, object: { ...object, metadata: { ...namespace, ...object.metadata } } };
  },
);

/** All objects of a file; empty documents are skipped. */
export const manifestFile: Reader<readonly AppliedObject[]> = mapped(
  text("the path of a file"),
  (name, place, reading) => {
    const opened = reading.open(place, name);
    const documents = opened && documentsIn(opened, reading);
    const objects = documents
      ?.filter(({ value }) => value !== null)
      .map((document) => appliedObject(document, reading));
    return objects?.every((object) => object !== undefined) ? objects : undefined;
  },
);

/** The namespace of an object; reports one for a cluster-scoped kind. */
export function namespaceFor(
  kind: Kind,
  given: string | undefined,
  { place, reading }: { readonly place: Place; readonly reading: Reading },
): { readonly namespace?: string } | undefined {
  if (kind.namespaced) return { namespace: given ?? DEFAULT_NAMESPACE };
  if (given === undefined) return {};
  reading.report(
    place,
    `namespace ${JSON.stringify(given)}: a ${kind.kind} is in no namespace; leave it out`,
  );
  return undefined;
}

/** Objects that create something which later steps can name. */
function mentionMade(
  { kind, group }: Kind,
  name: string,
  { place, reading }: { readonly place: Place; readonly reading: Reading },
): void {
  if (!group.endsWith("cluster.x-k8s.io")) return;
  if (kind === "Cluster") reading.mention({ what: "cluster", name, as: "made", place });
  if (kind === "AzureMachinePool") reading.mention({ what: "scaleSet", name, as: "made", place });
}
