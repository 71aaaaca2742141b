import { accessSync, constants, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { kubeAssets } from "../kube/assets.ts";

/** A kubectl on this machine. */
export interface Kubectl {
  readonly program: string;
  /** Such as `1.35`. */
  readonly version: string;
}

const NAME = /^kubectl(?:\.\d+\.\d+)?$/;

/** The kubectl of the kube tests, and every other one on the machine; one of each version. */
export function findKubectls(): Kubectl[] {
  const own = kubeAssets(() => undefined).kubectl;
  const byVersion = new Map<string, Kubectl>();
  for (const program of [own, ...installed()]) {
    const version = versionOf(program);
    if (version !== undefined && !byVersion.has(version)) byVersion.set(version, { program, version });
  }
  return [...byVersion.values()];
}

/** Those in the PATH, and those in their real folders: some packages have one of each minor version. */
function installed(): string[] {
  const folders = new Set((process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""));
  const found = [...folders].flatMap(kubectlsIn);
  return [...new Set([...found, ...found.flatMap((path) => kubectlsIn(dirname(realpathSync(path))))])];
}

function kubectlsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(folder, name))
      .filter(isExecutable);
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(program: string): string | undefined {
  try {
    const output = execFileSync(program, ["version", "--client", "-o", "json"], {
      encoding: "utf8",
      stdio: "pipe",
    });
    const { clientVersion } = JSON.parse(output) as { clientVersion: { major: string; minor: string } };
    return `${clientVersion.major}.${clientVersion.minor.replace(/\D/g, "")}`;
  } catch {
    // A file of that name that is not a working kubectl.
    return undefined;
  }
}
