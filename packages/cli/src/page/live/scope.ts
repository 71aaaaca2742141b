import { builtInKind, Cluster, type Kind, type KubernetesObject, Namespace } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";

/** What a user may see. */
export interface Scope {
  /** The namespaces; all of them if undefined. */
  readonly namespaces: readonly string[] | undefined;
  /** The same for people. */
  readonly text: string;
}

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

// Each costs a watch for each kind.
const MOST_NAMESPACES = 20;

/**
 * Which namespaces a user may see: the chosen one, else all if the user may list Clusters there, else those in which the user
 * may. A user who may not list namespaces sees that of the context.
 */
export async function scopeOf(
  client: Client,
  { chosen, fallback }: { readonly chosen: string | undefined; readonly fallback: string },
): Promise<Scope> {
  if (chosen !== undefined) return { namespaces: [chosen], text: `namespace ${chosen}` };
  if (await mayList(client, undefined)) return { namespaces: undefined, text: "all namespaces" };
  const names = (await namespacesOf(client)) ?? [fallback];
  const answers = await Promise.all(
    names.slice(0, MOST_ASKED).map(async (name) => ((await mayList(client, name)) ? [name] : [])),
  );
  const allowed = answers.flat();
  const shown = allowed.slice(0, MOST_NAMESPACES);
  const more = allowed.length - shown.length;
  const rest = more > 0 ? ` and not ${more} more: choose one with --namespace` : "";
  if (shown.length === 0)
    return { namespaces: [fallback], text: `namespace ${fallback}, in which you may not list Clusters` };
  const noun = shown.length === 1 ? "namespace" : "namespaces";
  return { namespaces: shown, text: `${noun} ${shown.join(", ")}${rest}` };
}

// A question for each namespace.
const MOST_ASKED = 500;

async function namespacesOf(client: Client): Promise<readonly string[] | undefined> {
  try {
    return (await client.list(Namespace)).map(({ metadata }) => metadata.name);
  } catch (error) {
    if (error instanceof Failure && error.reason === "Forbidden") return undefined;
    throw error;
  }
}

/** What a user may list, as a text that differs when rights were given or taken away. */
export async function rightsOf(client: Client, scope: Scope, kinds: readonly Kind[]): Promise<string> {
  const { namespaces = [undefined] } = scope;
  const asked = namespaces.flatMap((namespace) => kinds.map((kind) => ({ namespace, kind })));
  const answers = await Promise.all(asked.map(({ namespace, kind }) => mayList(client, namespace, kind)));
  return `${scope.text} ${answers.map(Number).join("")}`;
}

async function mayList(
  client: Client,
  namespace: string | undefined,
  { group, plural }: Kind = Cluster,
): Promise<boolean> {
  const resourceAttributes = {
    group,
    resource: plural,
    verb: "list",
    ...(namespace !== undefined && { namespace }),
  };
  const { status } = await client.create(SelfSubjectAccessReview, {
    metadata: {},
    spec: { resourceAttributes },
  } as unknown as Review);
  return status?.allowed === true;
}
