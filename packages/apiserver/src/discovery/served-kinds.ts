import type { DocumentedKind } from "../openapi/documented-kind.ts";
import type { PreferredVersions } from "../registry/context.ts";
import type { Resource } from "../registry/registry.ts";
import type { Discoverable, DiscoverableSubresource } from "./discovery.ts";

/** A kind with everything that discovery and OpenAPI need. */
export type ServedKind = Discoverable & DocumentedKind;

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

// The short names that users of kubectl type; other kinds have only their lower-case name.
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  configmaps: ["cm"],
  customresourcedefinitions: ["crd", "crds"],
  daemonsets: ["ds"],
  deployments: ["deploy"],
  events: ["ev"],
  namespaces: ["ns"],
  nodes: ["no"],
  poddisruptionbudgets: ["pdb"],
  pods: ["po"],
  replicasets: ["rs"],
  serviceaccounts: ["sa"],
  services: ["svc"],
  statefulsets: ["sts"],
};

// The kinds of `kubectl get all`: workloads.
const RUNNING: ReadonlySet<string> = new Set([
  "daemonsets",
  "deployments",
  "jobs",
  "pods",
  "replicasets",
  "services",
  "statefulsets",
]);

/** The served kinds, as discovery and OpenAPI need them. */
export function servedKinds(resources: Iterable<Resource>, preferred: PreferredVersions = {}): ServedKind[] {
  return [...resources].map((resource) => {
    const { group, kind, plural, namespaced, subresources } = resource.kind;
    const version = resource.apiVersion.split("/").at(-1) ?? "";
    return {
      group,
      version,
      kind,
      plural,
      namespaced,
      ...namesOf(resource),
      verbs: verbsOf(resource),
      subresources: subresources.toSorted().map((name) => subresource(name, { group, version, kind })),
      isPreferred: preferred[group] === version,
      isCustom: resource.custom !== undefined,
      ...(resource.custom && { schema: resource.custom.printed }),
    };
  });
}

function verbsOf({ kind, strategy }: Resource): readonly string[] {
  if (strategy.onlyAnswered) return ["create"];
  return kind.kind === "Namespace" ? VERBS.filter((verb) => verb !== "deletecollection") : VERBS;
}

function namesOf({ kind, custom }: Resource): Pick<ServedKind, "singular" | "shortNames" | "categories"> {
  if (!custom)
    return {
      singular: kind.kind.toLowerCase(),
      shortNames: SHORT_NAMES[kind.plural] ?? [],
      categories: RUNNING.has(kind.plural) ? ["all"] : [],
    };
  const { singular = kind.kind.toLowerCase(), shortNames = [], categories = [] } = custom.names;
  return { singular, shortNames, categories };
}

function subresource(
  name: string,
  parent: { group: string; version: string; kind: string },
): DiscoverableSubresource {
  switch (name) {
    case "scale":
      return { name, group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] };
    case "eviction":
      return { name, group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] };
    case "binding":
      return { name, group: "", version: "v1", kind: "Binding", verbs: ["create"] };
    case "token":
      return { name, group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] };
    case "finalize":
      return { name, ...parent, verbs: ["update"] };
    default:
      return { name, ...parent, verbs: ["get", "patch", "update"] };
  }
}
