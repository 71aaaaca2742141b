/** Programs of others, and small ones of ours that import their packages; each is built once, into a cache outside the repository. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { goBuild, hasGo, ProgramMissing, programFolder } from "../go-programs.ts";
import { VERSIONS } from "./versions.ts";

const CLUSTER_API = "sigs.k8s.io/cluster-api";
const KUBERNETES = "k8s.io/kubernetes";

/** How a program is built, and how long that takes the first time. */
interface Recipe {
  /** The folder of the module file. */
  readonly module: string;
  readonly package: string;
  /** The module whose version the module file requires; Cluster API unless given. */
  readonly of?: keyof typeof VERSIONS;
  /** The files of the folder that the program is built from. */
  readonly sources: readonly string[];
  readonly minutes: number;
  readonly ldflags?: string;
}

const folder = (name: string): string => join(import.meta.dirname, name);

const PROGRAMS = {
  oracle: { module: folder("oracle"), package: ".", sources: ["go.mod", "go.sum", "main.go"], minutes: 3 },
  clusterctl: {
    module: folder("clusterctl"),
    package: `${CLUSTER_API}/cmd/clusterctl`,
    sources: ["go.mod", "go.sum"],
    minutes: 3,
    ldflags: `-X ${CLUSTER_API}/version.gitVersion=${VERSIONS[CLUSTER_API]}`,
  },
  core: {
    module: folder("core"),
    package: `${CLUSTER_API}/core`,
    sources: ["go.mod", "go.sum"],
    minutes: 2,
    ldflags: `-X ${CLUSTER_API}/version.gitVersion=${VERSIONS[CLUSTER_API]}`,
  },
  bootstrap: {
    module: folder("kubeadm"),
    package: `${CLUSTER_API}/bootstrap/kubeadm`,
    sources: ["go.mod", "go.sum"],
    minutes: 1,
    ldflags: `-X ${CLUSTER_API}/version.gitVersion=${VERSIONS[CLUSTER_API]}`,
  },
  controlplane: {
    module: folder("kubeadm"),
    package: `${CLUSTER_API}/controlplane/kubeadm`,
    sources: ["go.mod", "go.sum"],
    minutes: 1,
    ldflags: `-X ${CLUSTER_API}/version.gitVersion=${VERSIONS[CLUSTER_API]}`,
  },
  extension: {
    module: folder("extension"),
    package: ".",
    sources: ["go.mod", "go.sum", "main.go"],
    minutes: 2,
  },
  kubeadm: {
    module: folder("kubernetes"),
    package: `${KUBERNETES}/cmd/kubeadm`,
    of: KUBERNETES,
    sources: ["go.mod", "go.sum"],
    minutes: 2,
  },
} as const satisfies Record<string, Recipe>;

/** The name of a program. */
export type ProgramName = keyof typeof PROGRAMS;

/** The names of all programs. */
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as readonly ProgramName[];

/** The files that a program is built from. */
function sourcesOf(name: ProgramName): readonly string[] {
  const { module, sources } = PROGRAMS[name];
  return sources.map((file) => join(module, file));
}

/** The path of a program, which is built if it is not in the cache. */
export function interopProgram(name: ProgramName, say: (line: string) => void): string {
  const recipe: Recipe = PROGRAMS[name];
  const path = join(programFolder(`interop-${name}`, sourcesOf(name)), name);
  if (existsSync(path)) return path;
  needGo();
  checkVersion(recipe);
  say(`Building ${name} with Go, once; about ${recipe.minutes} minutes on 2 cores`);
  goBuild({ ...recipe, output: path });
  return path;
}

/** The folder of Cluster API's sources, as the module proxy has them. */
export function clusterApiFolder(): string {
  needGo();
  const { module } = PROGRAMS.clusterctl;
  const go = (...args: readonly string[]): string =>
    execFileSync("go", args, { cwd: module, encoding: "utf8" });
  go("mod", "download", CLUSTER_API);
  return go("list", "-m", "-f", "{{.Dir}}", CLUSTER_API).trim();
}

function needGo(): void {
  if (!hasGo())
    throw new ProgramMissing(
      "Go is not installed. Install Go 1.26 or newer: the programs are then built once from the Go module proxy, and kept in a cache",
    );
}

function checkVersion({ module, of = CLUSTER_API }: Recipe): void {
  const file = join(module, "go.mod");
  const required = `${of} ${VERSIONS[of]}`;
  if (!readFileSync(file, "utf8").includes(required))
    throw new ProgramMissing(`${file} does not require ${required}, as test/interop/versions.ts has it`);
}
