import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { goBuild, hasGo, ProgramMissing, programFolder } from "../go-programs.ts";

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

const MODULE = join(import.meta.dirname, "assets");

/**
 * Finds the programs in KUBEBUILDER_ASSETS, else in our cache, else builds them there with Go. Programs
 * that KUBEBUILDER_ASSETS lacks (envtest's bundles have no controller manager) are taken from the cache.
 */
export function kubeAssets(say: (line: string) => void): KubeAssets {
  const given = process.env["KUBEBUILDER_ASSETS"];
  const cache = programFolder(
    "kube-assets",
    ["go.mod", "go.sum"].map((file) => join(MODULE, file)),
  );
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

function build(programs: readonly Program[], folder: string, say: (line: string) => void): void {
  if (!hasGo()) {
    throw new ProgramMissing(
      `no ${programs.join(", ")} found. Set KUBEBUILDER_ASSETS to a folder that has them, or install Go 1.25 or newer: they are then built once and kept in ${folder}`,
    );
  }
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(MODULE, "go.mod"), "utf8"))?.[1] ?? "";
  say(`Building ${programs.join(", ")} ${version} with Go, once; about 8 minutes on 2 cores`);
  for (const program of programs) {
    say(`  ${program} …`);
    const output = join(folder, program);
    goBuild({ module: MODULE, package: PROGRAMS[program], output, ldflags: stampsOf(version) });
  }
}

/** Without these a self-built server reports v0.0.0 and kubectl warns about the skew. */
function stampsOf(version: string): string {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  return [
    `k8s.io/component-base/version.gitVersion=${version}`,
    `k8s.io/client-go/pkg/version.gitVersion=${version}`,
    `k8s.io/component-base/version.gitMajor=${major}`,
    `k8s.io/component-base/version.gitMinor=${minor}`,
  ]
    .map((stamp) => `-X ${stamp}`)
    .join(" ");
}
