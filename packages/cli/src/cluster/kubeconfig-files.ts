import { readFileSync, statSync } from "node:fs";
import { delimiter, dirname, resolve, sep } from "node:path";
import { isJsonObject } from "@capstan/api";
import { parse } from "yaml";
import { CommandError } from "../command-error.ts";
import { readProblem } from "../given-file.ts";
import { size } from "../render/amounts.ts";
import type { Shell } from "../shell.ts";

/** A file that should be a kubeconfig. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** One kubeconfig, merged from one or more files. */
export interface Kubeconfig {
  readonly text: string;
  /** The namespace of the context, if it sets one. */
  readonly namespace: string | undefined;
  /** The file that defines the cluster of the context. */
  readonly clusterPath: string | undefined;
}

/** The files that KUBECONFIG lists; empty if it is not set. */
export function listedKubeconfigs({ variables, workingFolder }: Shell): readonly string[] {
  const paths = (variables["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return paths.map((path) => resolve(workingFolder, path));
}

/** Reads the files that exist; like kubectl, it skips a listed file that does not exist. */
export function readKubeconfigs(paths: readonly string[]): readonly KubeconfigFile[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, text: smallText(path) }];
    } catch (error) {
      if (error instanceof CommandError) throw error;
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new CommandError(`the kubeconfig ${path} cannot be read: ${readProblem(error)}`);
    }
  });
}

// Certificates make one large, but no kubeconfig is larger; YAML of many megabytes takes minutes to read.
const MOST_BYTES = 1024 * 1024;

function smallText(path: string): string {
  const bytes = statSync(path).size;
  if (bytes <= MOST_BYTES) return readFileSync(path, "utf8");
  throw new CommandError(
    `${path} is not a kubeconfig: it has ${size(bytes)}, and none is larger than ${size(MOST_BYTES)}`,
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of one of the lists, with the file it comes from. */
interface Entry {
  readonly path: string;
  readonly name: unknown;
  readonly value: Fields;
}

/**
 * Merges files as kubectl does: of entries with the same name the first one wins as a whole, and the first file that
 * names a current context decides. Relative paths start at the folder of their file.
 */
export function mergedKubeconfig(files: readonly KubeconfigFile[], context?: string): Kubeconfig {
  const all = files.map(({ path, text }) => ({ path, config: configIn(path, text) }));
  const list = (key: string): readonly Entry[] => firstOfEach(all.flatMap((one) => entriesOf(one, key)));
  const [clusters, users, contexts] = [list("clusters"), list("users"), list("contexts")];
  const current = all.map(({ config }) => config["current-context"]).find(Boolean);
  const chosen = partOf(
    contexts.find(({ name }) => name === (context ?? current)),
    "context",
  );
  const text = JSON.stringify({
    "current-context": current,
    clusters: clusters.map((entry) => withPaths(entry, "cluster")),
    users: users.map((entry) => withPaths(entry, "user")),
    contexts: contexts.map(({ value }) => value),
  });
  const namespace = chosen["namespace"];
  return {
    text,
    namespace: typeof namespace === "string" && namespace !== "" ? namespace : undefined,
    clusterPath: clusters.find(({ name }) => name === chosen["cluster"])?.path,
  };
}

function configIn(path: string, text: string): Fields {
  try {
    const config: unknown = parse(text) ?? {};
    if (isJsonObject(config)) return config;
  } catch (error) {
    throw new CommandError(`${path} is not a kubeconfig: ${(error as Error).message}`);
  }
  throw new CommandError(`${path} is not a kubeconfig: it has no lists of clusters, contexts and users`);
}

function entriesOf(
  { path, config }: { readonly path: string; readonly config: Fields },
  key: string,
): readonly Entry[] {
  const list = config[key] ?? [];
  if (!Array.isArray(list) || !list.every((one) => isJsonObject(one)))
    throw new CommandError(`${path} is not a kubeconfig: its ${key} are not a list of objects`);
  return list.map((value: Fields) => ({ path, name: value["name"], value }));
}

function firstOfEach(entries: readonly Entry[]): readonly Entry[] {
  return [...Map.groupBy(entries, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
}

function partOf(entry: Entry | undefined, key: "cluster" | "user" | "context"): Fields {
  const part = entry?.value[key];
  return isJsonObject(part) ? part : {};
}

// The fields that hold the path of a file.
const PATHS = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

function withPaths(entry: Entry, key: "cluster" | "user"): Fields {
  const base = dirname(entry.path);
  const part = partOf(entry, key);
  const moved = PATHS.flatMap((field): [string, string][] => {
    const path = part[field];
    return typeof path === "string" && path !== "" ? [[field, resolve(base, path)]] : [];
  });
  const { exec } = part;
  return {
    ...entry.value,
    [key]: { ...part, ...Object.fromEntries(moved), ...(isJsonObject(exec) && { exec: placed(exec, base) }) },
  };
}

/** A command without a slash is looked up in PATH. */
function placed(exec: Fields, base: string): Fields {
  const { command } = exec;
  return typeof command === "string" && command.includes(sep)
    ? { ...exec, command: resolve(base, command) }
    : exec;
}
