import { createHash } from "node:crypto";
import type { CommandResult } from "@capstan/azure-sim";
import { upgradeCommandsIn } from "./kubeadm-upgrade.ts";
import type { GuestDisk } from "./os-disk.ts";
import { installedUpdates } from "./security-updates.ts";

/** The file in which a machine reads its own id; it is not on the disk. */
const PRODUCT_UUID = "/sys/class/dmi/id/product_uuid";

/** The machine that a script runs on. */
export interface CommandHost {
  readonly disk: GuestDisk;
  readonly vmId: string;
}

// `cat > PATH <<'WORD'`, lines, `WORD`.
const HERE_DOCUMENT = /^cat > (\/\S+) <<'(\w+)'\n([\s\S]*?)^\2$/gm;
const COPY = /^cat (\/\S+) > (\/\S+)$/gm;
const READ = /^cat (\/\S+)$/gm;
// Paths without a leading slash: such a script has changed to the root folder.
const CHECKSUMS = /^sha256sum ((?:\/?[\w./-]+ ?)+?)(?: 2>\/dev\/null)?$/gm;
const PACKAGES = "/var/lib/dpkg/status";

/** A file that a script writes. */
interface WrittenFile {
  readonly index: number;
  readonly path: string;
  readonly read: (host: CommandHost) => string | undefined;
  readonly source: string;
}

/**
 * Runs a shell script as far as guests understand it: files that `cat` writes and reads, checksums, and an upgrade of Kubernetes. All other
 * commands succeed without an effect. The first command that fails ends the script.
 */
export function runScript(script: string, host: CommandHost): CommandResult {
  const files = filesIn(script).map((file) => ({ index: file.index, run: () => writeFile(file, host) }));
  const upgrades = upgradeCommandsIn(script).map(({ index, run }) => ({ index, run: () => run(host.disk) }));
  let output = "";
  const reads = [...script.matchAll(READ)].map(({ index, 1: path = "" }) => ({
    index,
    run: () => readFile(path, host),
  }));
  const checksums = [...script.matchAll(CHECKSUMS)].map(({ index, 1: paths = "" }) => ({
    index,
    run: () => checksumsOf(paths.trim().split(" "), host.disk),
  }));
  for (const { run } of [...files, ...reads, ...checksums, ...upgrades].sort((a, b) => a.index - b.index)) {
    const result = run();
    output += result?.output ?? "";
    if (result && result.exitCode !== 0) return { ...result, output };
  }
  return { exitCode: 0, output, error: "" };
}

function readFile(path: string, { disk }: CommandHost): CommandResult {
  const content = disk.read(path);
  return content === undefined ? noSuchFile(path) : { exitCode: 0, output: content, error: "" };
}

/** Checksums of the files that exist. Scripts of ours go on without the others. */
function checksumsOf(paths: readonly string[], disk: GuestDisk): CommandResult {
  const lines = paths.flatMap((path) => {
    const content = contentOf(`/${path.replace(/^\//, "")}`, disk);
    if (content === undefined) return [];
    return [`${createHash("sha256").update(content).digest("hex")}  ${path}\n`];
  });
  return { exitCode: 0, output: lines.join(""), error: "" };
}

/** Security updates are packages: they are part of the database. */
function contentOf(path: string, disk: GuestDisk): string | undefined {
  const content = disk.read(path);
  return path === PACKAGES && content !== undefined
    ? `${content}\nPackage: security-updates\nVersion: ${installedUpdates(disk)}\n`
    : content;
}

function noSuchFile(path: string): CommandResult {
  return { exitCode: 1, output: "", error: `cat: ${path}: No such file or directory` };
}

function writeFile({ path, read, source }: WrittenFile, host: CommandHost): CommandResult | undefined {
  const content = read(host);
  if (content === undefined) return noSuchFile(source);
  host.disk.write(path, content);
  return undefined;
}

function filesIn(script: string): readonly WrittenFile[] {
  const documents = [...script.matchAll(HERE_DOCUMENT)].map(
    ({ index, 1: path = "", 3: content = "" }): WrittenFile => ({
      index,
      path,
      read: () => content,
      source: "-",
    }),
  );
  const copies = [...script.matchAll(COPY)].map(({ index, 1: source = "", 2: path = "" }): WrittenFile => ({
    index,
    path,
    read: ({ disk, vmId }) => (source === PRODUCT_UUID ? `${vmId}\n` : disk.read(source)),
    source,
  }));
  return [...documents, ...copies];
}
