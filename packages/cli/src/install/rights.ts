import { builtInKind, CustomResourceDefinition, type Kind, type KubernetesObject } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { kindFor } from "./apply.ts";
import type { Manifest } from "./names.ts";

/** A request that an installation sends. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
}

/** The part of the answer that we read; without it, the server has not decided. */
interface Review extends KubernetesObject {
  readonly status?: { readonly allowed?: boolean };
}

const SelfSubjectAccessReview: Kind<Review> = builtInKind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
});

const VERBS_OF_APPLY = ["get", "create", "patch"] as const;
const VERBS_OF_DEFINITIONS = ["list", "get", "create", "update"] as const;

/** Refuses a user who could carry out only a part of an installation, before its first write. */
export async function refuseMissingRights(client: Client, manifests: readonly Manifest[]): Promise<void> {
  const rights = rightsFor(manifests);
  const answers = await Promise.all(rights.map((right) => isAllowed(client, right)));
  const missing = rights.filter((_, index) => answers[index] === false);
  if (missing.length > 0) throw refusal(`this user may not ${listed(missing)}`);
  for (const manifest of manifests) if (manifest.kind === "ClusterRole") await tryToGrant(client, manifest);
}

function rightsFor(manifests: readonly Manifest[]): readonly Right[] {
  const applied = manifests.flatMap((manifest) => {
    const { group, plural: resource } = kindFor(manifest);
    const { namespace } = manifest.metadata;
    return VERBS_OF_APPLY.map((verb) => ({ group, resource, verb, ...(namespace && { namespace }) }));
  });
  const { group, plural: resource } = CustomResourceDefinition;
  const defined = VERBS_OF_DEFINITIONS.map((verb) => ({ group, resource, verb }));
  return [...new Map([...applied, ...defined].map((right) => [JSON.stringify(right), right])).values()];
}

async function isAllowed(client: Client, resourceAttributes: Right): Promise<boolean> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {} };
  const asked = { ...review, spec: { resourceAttributes } } as unknown as Review;
  try {
    const { status } = await client.create(SelfSubjectAccessReview, asked);
    return status?.allowed !== false;
  } catch (error) {
    // A user who may not even ask learns it from the request itself.
    if (error instanceof Failure && error.reason === "Forbidden") return true;
    throw error;
  }
}

/** A role may grant only what its author may do; the server says so of a role that it does not store, too. */
async function tryToGrant(client: Client, role: Manifest): Promise<void> {
  try {
    const options = { type: "apply", body: role, force: true, dryRun: true } as const;
    await client.patch(kindFor(role), role.metadata, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== "Forbidden") throw error;
    const [, granted] = error.message.split("\n");
    const first = granted === undefined ? "" : `, such as ${granted.trim()}`;
    throw refusal(`this user may not grant the manager rights that it does not have itself${first}`);
  }
}

// A longer list is not read; the next try shows the rest.
const MOST_SHOWN = 5;

function listed(missing: readonly Right[]): string {
  const whatOf = ({ resource, group, namespace }: Right): string =>
    `${resource}${group === "" ? "" : ` of ${group}`}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
  const texts = [...Map.groupBy(missing, whatOf)].map(
    ([what, rights]) => `${rights.map(({ verb }) => verb).join("/")} ${what}`,
  );
  const more = texts.length - MOST_SHOWN;
  return `${texts.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function refusal(cause: string): CommandError {
  return new CommandError(
    `permission denied: ${cause}; nothing has been changed: ask an administrator of the cluster for a role that allows it, or to run this command`,
  );
}
