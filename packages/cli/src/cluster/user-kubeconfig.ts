import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject } from "@capstan/api";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver";
import { parse } from "yaml";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";

/** Which management cluster a user means, and which namespace of it. */
export interface UserAccess {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** What `-n` says; undefined where nobody wrote it. */
  readonly namespace?: string;
}

/** A kubeconfig as it was found. */
export interface UserKubeconfig {
  readonly text: string;
  /** What it is called in messages. */
  readonly origin: string;
  readonly path: string;
}

/**
 * The kubeconfig that a user means: that of the command line, else that of the environment, else that of the data
 * directory, else whatever kubectl would use.
 */
export function userKubeconfig({ variables, workingFolder }: Shell, access: UserAccess): UserKubeconfig {
  const { kubeconfig = variables["KUBECONFIG"] || undefined, dataDir } = access;
  const own = kubeconfigPath(dataDir, MANAGEMENT_CLUSTER);
  const origin = kubeconfig ?? (existsSync(own) ? own : join(variables["HOME"] ?? "/", ".kube", "config"));
  const path = resolve(workingFolder, origin);
  return { text: readText(path), origin, path };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new CommandError(`there is no kubeconfig at ${path}; start with: capstan up, or give --kubeconfig`);
  }
}

const USUAL_NAMESPACE = "default";

/** The namespace of what names none, as kubectl has it: that of `-n`, else of the context, else "default". */
export function namespaceIn({ text }: UserKubeconfig, { namespace, context }: UserAccess): string {
  return namespace ?? (namespaceOfContext(text, context) || USUAL_NAMESPACE);
}

/** The same for a command that may do without a cluster: whoever needs one is told that there is none when it is asked. */
export function namespaceFor(shell: Shell, access: UserAccess): string {
  try {
    return access.namespace ?? namespaceIn(userKubeconfig(shell, access), access);
  } catch (error) {
    if (error instanceof CommandError) return USUAL_NAMESPACE;
    throw error;
  }
}

/** Undefined for what is no kubeconfig, which is refused where it is used. */
function namespaceOfContext(text: string, chosen: string | undefined): string | undefined {
  const config = parsed(text);
  if (!isJsonObject(config) || !Array.isArray(config["contexts"])) return undefined;
  const name = chosen ?? config["current-context"];
  const entry: unknown = config["contexts"].find((one: unknown) => isJsonObject(one) && one["name"] === name);
  const context = isJsonObject(entry) ? entry["context"] : undefined;
  const namespace = isJsonObject(context) ? context["namespace"] : undefined;
  return typeof namespace === "string" ? namespace : undefined;
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
