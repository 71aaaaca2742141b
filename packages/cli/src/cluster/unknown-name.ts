import { type CustomKind, nearestName } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";

/** An object that does not exist. */
interface Desired {
  readonly kind: CustomKind;
  /** What the user calls it, if not by its kind and its name. */
  readonly called?: { readonly noun: string; readonly name: string };
  readonly name: string;
  readonly namespace: string;
}

// A longer list does not help a user to find a name.
const MOST_NAMES = 10;

/** The error for a name that no object has, with the names and the namespaces that the user may have meant. */
export async function unknownName(client: Client, desired: Desired): Promise<CommandError> {
  const { kind, name, namespace, called = { noun: kind.kind, name } } = desired;
  const others = (await client.list(kind, { namespace })).map(({ metadata }) => metadata.name);
  const hint = others.length > 0 ? existing(name, others) : await elsewhere(client, desired);
  return new CommandError(
    `there is no ${called.noun} ${JSON.stringify(called.name)} in namespace ${namespace}; ${hint}`,
  );
}

/** Some of the names that exist, the most similar one first. */
export function existing(name: string, others: readonly string[]): string {
  const near = nearestName(name, others);
  const list = existingNames(others);
  return near === undefined ? list : `did you mean ${near}? ${list}`;
}

/** Some of the names that exist, where none can be meant. */
export function existingNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `existing: ${names.slice(0, MOST_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

async function elsewhere(client: Client, { kind, name }: Desired): Promise<string> {
  const namespaces = (await listedEverywhere(client, kind))
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => metadata.namespace ?? "");
  const [first] = namespaces;
  if (first === undefined) return "there are none";
  return `there is one in namespace ${namespaces.join(", ")}; choose it with -n ${first}`;
}

/** All objects of a kind; none for a user who may not list those of other namespaces. */
async function listedEverywhere(client: Client, kind: CustomKind) {
  try {
    return await client.list(kind);
  } catch (error) {
    if (error instanceof Failure && error.reason === "Forbidden") return [];
    throw error;
  }
}
