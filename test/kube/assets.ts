import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The programs of a real control plane, and the Go package each is built from. */
const PROGRAMS = {
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
} as const;

type Program = keyof typeof PROGRAMS;

/** Where each program is. */
export type KubeAssets = Readonly<Record<Program, string>>;

/** No real control plane can be had; the message says what to do about it. */
export class AssetsMissing extends Error {
  override readonly name = "AssetsMissing";
}

const MODULE = join(import.meta.dirname, "assets");

/**
 * Finds the programs in KUBEBUILDER_ASSETS, else in our cache, else builds them there with Go. Programs
 * that KUBEBUILDER_ASSETS lacks (envtest's bundles have no controller manager) are taken from the cache.
 */
export function kubeAssets(say: (line: string) => void): KubeAssets {
  const given = process.env["KUBEBUILDER_ASSETS"];
  const cache = cacheFolder();
  const locate = (program: Program): string | undefined =>
    [given, cache]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, program))
      .find((path) => existsSync(path));
  const missing = (Object.keys(PROGRAMS) as Program[]).filter((program) => locate(program) === undefined);
  if (missing.length > 0) build(missing, cache, say);
  return Object.fromEntries(
    Object.keys(PROGRAMS).map((program) => [program, locate(program as Program)]),
  ) as KubeAssets;
}

/** Outside the tree, and new whenever the module file changes. */
function cacheFolder(): string {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(MODULE, file)));
  const base = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(
    base,
    "capstan",
    "kube-assets",
    `${process.platform}-${process.arch}-${hash.digest("hex").slice(0, 16)}`,
  );
}

function build(programs: readonly Program[], folder: string, say: (line: string) => void): void {
  const go = spawnSync("go", ["version"], { encoding: "utf8" });
  if (go.status !== 0) {
    throw new AssetsMissing(
      `no ${programs.join(", ")} found. Set KUBEBUILDER_ASSETS to a folder that has them, or install Go 1.25 or newer: they are then built once and kept in ${folder}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(MODULE, "go.mod"), "utf8"))?.[1] ?? "";
  say(`Building ${programs.join(", ")} ${version} with Go, once; about 8 minutes on 2 cores`);
  for (const program of programs) {
    say(`  ${program} …`);
    buildProgram(program, { folder, version });
  }
}

function buildProgram(program: Program, { folder, version }: { folder: string; version: string }): void {
  const partial = join(folder, `${program}.partial-${process.pid}`);
  // Without these a self-built server reports v0.0.0 and kubectl warns about the skew.
  const stamps = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].map(
    (path) => `-X ${path}.gitVersion=${version}`,
  );
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const numbers = `-X k8s.io/component-base/version.gitMajor=${major} -X k8s.io/component-base/version.gitMinor=${minor}`;
  const flags = [
    "build",
    "-mod=readonly",
    "-trimpath",
    "-ldflags",
    `-s -w ${stamps.join(" ")} ${numbers}`,
    "-o",
    partial,
  ];
  try {
    execFileSync("go", [...flags, PROGRAMS[program]], {
      cwd: MODULE,
      env: { ...process.env, CGO_ENABLED: "0" },
      stdio: ["ignore", "inherit", "pipe"],
    });
    // A rename is whole or not at all: a build that was cut off leaves no half program behind.
    renameSync(partial, join(folder, program));
  } catch (error) {
    rmSync(partial, { force: true });
    const stderr = String((error as { stderr?: Buffer }).stderr ?? "").trim();
    throw new AssetsMissing(`go build of ${program} failed:\n${stderr.split("\n").slice(-15).join("\n")}`, {
      cause: error,
    });
  }
}
