import { isJsonObject } from "@capstan/api";
import { parse } from "yaml";
import { CommandError } from "../command-error.ts";

/**
 * Refuses a context of the command line that the kubeconfig does not have. An invalid kubeconfig is refused elsewhere.
 */
export function refuseUnknownContext(text: string, path: string, context: string | undefined): void {
  const known = contextsIn(text);
  if (context === undefined || known === undefined || known.includes(context)) return;
  const there = known.length === 0 ? "it has none" : `it has: ${known.join(", ")}`;
  throw new CommandError(`--context ${JSON.stringify(context)} is not a context of ${path}; ${there}`);
}

function contextsIn(text: string): readonly unknown[] | undefined {
  try {
    const config: unknown = parse(text);
    const contexts = isJsonObject(config) ? config["contexts"] : undefined;
    return Array.isArray(contexts)
      ? contexts.map((one: unknown) => isJsonObject(one) && one["name"])
      : undefined;
  } catch {
    return undefined;
  }
}
