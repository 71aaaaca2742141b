import type { CommandResult } from "@capstan/azure-sim";
import type { GuestDisk } from "./os-disk.ts";

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

/** A file that a script writes, in the order of its lines. */
interface FileStep {
  readonly index: number;
  readonly path: string;
  readonly read: (host: CommandHost) => string | undefined;
  readonly source: string;
}

/**
 * Runs a shell script as far as guests understand it: files that `cat` writes. All other commands succeed without an effect. A
 * script that copies a file which does not exist fails.
 */
export function runScript(script: string, host: CommandHost): CommandResult {
  for (const { path, read, source } of stepsIn(script)) {
    const content = read(host);
    if (content === undefined)
      return { exitCode: 1, output: "", error: `cat: ${source}: No such file or directory` };
    host.disk.write(path, content);
  }
  return { exitCode: 0, output: "", error: "" };
}

function stepsIn(script: string): readonly FileStep[] {
  const documents = [...script.matchAll(HERE_DOCUMENT)].map(
    ({ index, 1: path = "", 3: content = "" }): FileStep => ({
      index,
      path,
      read: () => content,
      source: "-",
    }),
  );
  const copies = [...script.matchAll(COPY)].map(({ index, 1: source = "", 2: path = "" }): FileStep => ({
    index,
    path,
    read: ({ disk, vmId }) => (source === PRODUCT_UUID ? `${vmId}\n` : disk.read(source)),
    source,
  }));
  return [...documents, ...copies].sort((a, b) => a.index - b.index);
}
