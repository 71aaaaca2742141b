import { isJsonObject, Secret } from "@capstan/api";
import type { StoredEvent } from "@capstan/apiserver";
import type { Invariant } from "../invariant.ts";
import { Canaries } from "./canaries.ts";

const SECRETS = `${Secret.group}/${Secret.plural}`;

/**
 * I23. What is secret is what there is in Secrets: credentials, join tokens and private keys. Specs are what users write,
 * and what machines boot with has a token in it; all else that is stored in the management cluster is looked at once,
 * when it changes, and so are tags and lines of the log. Metrics and access tokens of Azure are not looked at here.
 */
export const keepsSecrets: Invariant = {
  name: "keeps-secrets",
  says: "nothing of what is in Secrets is seen in events, conditions, labels, annotations, statuses, tags or logs",
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
      logged: (line) =>
        canaries.isIn(line) ? `there is a secret in the log: ${messageIn(line)}` : undefined,
    };
  },
};

// Of an object itself, and not of what is nested in it.
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

/** Where in a value a secret is, in a place whose text was another one before; undefined when it is nowhere. */
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

/** The message of a line, which is constant; its fields are not shown again. */
function messageIn(line: string): string {
  const { msg } = JSON.parse(line) as { msg?: unknown };
  return JSON.stringify(msg);
}
