import { readdirSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { dns1123LabelProblems } from "@capstan/api";

type Accepts = (name: string) => boolean;
interface Shape {
  readonly file: Accepts;
  /** What a folder of this name may contain; undefined if a folder of this name does not belong here. */
  readonly folder: (name: string) => Shape | undefined;
}

// A draft that a crash has left behind belongs to Capstan as well.
const matching =
  (pattern: string): Accepts =>
  (name) =>
    new RegExp(`^(?:${pattern})(?:\\.tmp)?$`).test(name);
const noFolder = (): undefined => undefined;

const SERVING: Shape = { file: matching(String.raw`(?:ca|tls)\.(?:crt|key)`), folder: noFolder };
const CLUSTER: Shape = {
  file: matching(String.raw`objects\.db(?:-wal|-shm|-journal)?|[a-z-]+\.(?:crt|key)|kubeconfig`),
  folder: noFolder,
};
const CLUSTERS: Shape = {
  file: () => false,
  folder: (name) => (dns1123LabelProblems(name).length === 0 ? CLUSTER : undefined),
};
const AZURE: Shape = {
  file: matching(String.raw`azure\.db(?:-wal|-shm|-journal)?|token`),
  folder: noFolder,
};
const DATA_DIRECTORY: Shape = {
  file: matching(
    String.raw`format|lock\.db(?:-journal)?|server\.json|clock\.json|page\.json|feature-gates|kubeconfig`,
  ),
  folder: (name) => ({ serving: SERVING, clusters: CLUSTERS, azure: AZURE })[name],
};

/** The contents of a data directory, as paths inside it. A folder follows its own contents. */
export interface Contents {
  readonly ours: readonly string[];
  readonly foreign: readonly string[];
}

/** Separates Capstan's files from others. A link never counts as Capstan's, regardless of its target. */
export function contentsOf(folder: string): Contents {
  const ours: string[] = [];
  const foreign: string[] = [];
  const visit = (path: string, shape: Shape): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = join(path, entry.name);
      const inside = entry.isDirectory() ? shape.folder(entry.name) : undefined;
      if (inside) visit(inner, inside);
      (inside || (entry.isFile() && shape.file(entry.name)) ? ours : foreign).push(inner);
    }
  };
  visit("", DATA_DIRECTORY);
  return { ours, foreign };
}

/** The size of Capstan's files in bytes. */
export function sizeOf(folder: string): number {
  const { ours } = contentsOf(folder);
  return ours
    .map((path) => statSync(join(folder, path), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.isFile() ? stats.size : 0), 0);
}

/** Removes Capstan's files and the directory itself. The caller has checked that it contains nothing else. */
export function removeContents(folder: string): void {
  for (const path of contentsOf(folder).ours) {
    const full = join(folder, path);
    if (statSync(full).isDirectory()) rmdirSync(full);
    else unlinkSync(full);
  }
  rmdirSync(folder);
}
