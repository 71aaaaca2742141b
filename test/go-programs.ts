/** Programs that are built with Go from a module file of ours, once, into a cache outside the repository. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** A program cannot be had; the message says what to do about it. */
export class ProgramMissing extends Error {
  override readonly name = "ProgramMissing";
}

/** The folder for programs that are built from these files; another one whenever a file changes. */
export function programFolder(name: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const base = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const digest = hash.digest("hex").slice(0, 16);
  return join(base, "capstan", name, `${process.platform}-${process.arch}-${digest}`);
}

/** Whether Go is installed. */
export function hasGo(): boolean {
  return spawnSync("go", ["version"], { encoding: "utf8" }).status === 0;
}

/** How a program is built. */
export interface GoBuild {
  /** The folder of the module file. */
  readonly module: string;
  readonly package: string;
  readonly output: string;
  /** Flags of the linker. */
  readonly ldflags?: string;
}

/** Builds a program. A build that was cut off leaves no half program behind. */
export function goBuild({ module, package: name, output, ldflags = "" }: GoBuild): void {
  const partial = `${output}.partial-${process.pid}`;
  mkdirSync(dirname(output), { recursive: true });
  const flags = ["build", "-mod=readonly", "-trimpath", "-ldflags", `-s -w ${ldflags}`, "-o", partial];
  try {
    execFileSync("go", [...flags, name], {
      cwd: module,
      env: { ...process.env, CGO_ENABLED: "0" },
      stdio: ["ignore", "inherit", "pipe"],
    });
    renameSync(partial, output);
  } catch (error) {
    rmSync(partial, { force: true });
    const stderr = String((error as { stderr?: Buffer }).stderr ?? "").trim();
    const last = stderr.split("\n").slice(-15).join("\n");
    throw new ProgramMissing(`go build of ${name} failed:\n${last}`, { cause: error });
  }
}
