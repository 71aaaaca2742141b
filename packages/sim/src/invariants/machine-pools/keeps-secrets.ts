import { isJsonObject, Secret } from "@capstan/api";
import type { StoredEvent } from "@capstan/apiserver";
import type { Invariant } from "../invariant.ts";
import { Canaries } from "./canaries.ts";

const SECRETS = `${Secret.group}/${Secret.plural}`;

/**
 * I23. Secrets are what Secrets contain: credentials, join tokens and private keys. User-written specs and bootstrap data
 * may contain them. Everything else that is stored in the management cluster is checked when it changes, and so are tags and
 * log lines. Metrics and Azure's access tokens are not checked here.
 */
export const keepsSecrets: Invariant = {
  name: "keeps-secrets",
  says: "no secret value appears in events, conditions, labels, annotations, statuses, tags or logs",
  watch: (truth) => {
    const canaries = new Canaries();
    let isFollowed = false;
    let seen: string | undefined;
    const follow = (): void => {
      isFollowed = true;
      for (const secret of truth.management.list({ resource: SECRETS })) canaries.learn(secret);
      truth.management.follow((resource, event) => {
        if (resource === SECRETS) canaries.learn(event.object);
        else seen ??= leakIn(canaries, event);
      });
    };
    return {
      happened: () => {
        if (!isFollowed) follow();
        return seen;
      },
      called: ({ by, verb, resource, name, tags }) =>
        tags && canaries.isIn(JSON.stringify(tags))
          ? `${by} sends ${verb} ${resource} ${name} with a secret in a tag`
          : undefined,
      logged: (line) => (canaries.isIn(line) ? `the log has a secret: ${messageIn(line)}` : undefined),
    };
  },
};

// Fields of the object itself, not of nested ones.
const SPEC = "spec";

function leakIn(canaries: Canaries, { object, previous, line }: StoredEvent): string | undefined {
  if (line.type === "DELETED") return undefined;
  for (const [field, value] of Object.entries(object)) {
    if (field === SPEC) continue;
    const path = pathOf(canaries, value, previous?.[field as keyof typeof previous]);
    if (path !== undefined)
      return `${object.kind} ${object.metadata.name} has a secret in ${[field, ...path].join(".")}`;
  }
  return undefined;
}

/** The path to a secret in a value, where the text has changed; undefined when there is none. */
function pathOf(canaries: Canaries, value: unknown, before: unknown): readonly string[] | undefined {
  if (value === before) return undefined;
  if (typeof value === "string") return canaries.isIn(value) ? [] : undefined;
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined;
  for (const [field, inner] of Object.entries(value)) {
    if (canaries.isIn(field)) return [field];
    const path = pathOf(canaries, inner, (before as Readonly<Record<string, unknown>> | undefined)?.[field]);
    if (path) return [field, ...path];
  }
  return undefined;
}

/** The constant message of a log line; the report leaves out its fields. */
function messageIn(line: string): string {
  const { msg } = JSON.parse(line) as { msg?: unknown };
  return JSON.stringify(msg);
}
