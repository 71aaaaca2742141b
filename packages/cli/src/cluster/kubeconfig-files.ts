import { readFileSync } from "node:fs";
import { delimiter, dirname, resolve, sep } from "node:path";
import { isJsonObject } from "@capstan/api";
import { parse } from "yaml";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";

/** A file that is meant to be a kubeconfig. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** One kubeconfig, from however many files. */
export interface Kubeconfig {
  readonly text: string;
  /** The namespace of the context, where it has one. */
  readonly namespace: string | undefined;
  /** The file that says where the cluster of the context is. */
  readonly clusterPath: string | undefined;
}

/** The files that KUBECONFIG lists; none where it is not set. */
export function listedKubeconfigs({ variables, workingFolder }: Shell): readonly string[] {
  const paths = (variables["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return paths.map((path) => resolve(workingFolder, path));
}

/** Reads those of some files that there are; as for kubectl, a file that is listed need not be there. */
export function readKubeconfigs(paths: readonly string[]): readonly KubeconfigFile[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(path, "utf8") }];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new CommandError(`the kubeconfig ${path} cannot be read: ${(error as Error).message}`);
    }
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of one of the lists, with where it is from. */
interface Entry {
  readonly path: string;
  readonly name: unknown;
  readonly value: Fields;
}

/**
 * Makes one of several, as kubectl does: of entries with the same name the first one counts whole, and the first file that
 * names a current context decides. A path in a file starts where the file is.
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
    throw new CommandError(`${path} is no kubeconfig: ${(error as Error).message}`);
  }
  throw new CommandError(`${path} is no kubeconfig: it has no lists of clusters, contexts and users`);
}

function entriesOf(
  { path, config }: { readonly path: string; readonly config: Fields },
  key: string,
): readonly Entry[] {
  const list = config[key] ?? [];
  if (!Array.isArray(list) || !list.every((one) => isJsonObject(one)))
    throw new CommandError(`${path} is no kubeconfig: its ${key} are no list of objects`);
  return list.map((value: Fields) => ({ path, name: value["name"], value }));
}

function firstOfEach(entries: readonly Entry[]): readonly Entry[] {
  return [...Map.groupBy(entries, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
}

function partOf(entry: Entry | undefined, key: "cluster" | "user" | "context"): Fields {
  const part = entry?.value[key];
  return isJsonObject(part) ? part : {};
}

// The fields that name a file.
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

/** A command without a slash is looked for in PATH. */
function placed(exec: Fields, base: string): Fields {
  const { command } = exec;
  return typeof command === "string" && command.includes(sep)
    ? { ...exec, command: resolve(base, command) }
    : exec;
}
