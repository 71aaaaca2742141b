import { parseArgs } from "node:util";
import type { Updater } from "./define-updater.ts";
import { deployManifests } from "./deploy.ts";
import { ServeProblem } from "./serve-problem.ts";
import { serveUpdater } from "./serve-updater.ts";

/** What the program of an updater takes from its surroundings. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly write: (text: string) => void;
  /** Gets a sentence about what is wrong; by default it is printed, and the exit code is 1. */
  readonly fail?: (sentence: string) => void;
}

const USAGE = `usage:
  serve --tls-folder FOLDER [--port 9443] [--client-authority FILE]   serves the updater over TLS
  deploy --image IMAGE [--namespace NAMESPACE]                        prints the manifests that deploy it
  --help                                                              prints this
`;

/** The program of an updater: serves it, or prints its manifests. Returns once it serves, or has printed. */
export async function runUpdater(
  updater: Updater,
  {
    args,
    write,
    fail = (sentence) => {
      process.stderr.write(`error: ${sentence}\n`);
      process.exitCode = 1;
    },
  }: Surroundings = {
    args: process.argv.slice(2),
    write: (text) => void process.stdout.write(text),
  },
): Promise<void> {
  try {
    const flags = flagsIn(args);
    if (flags.help) write(USAGE);
    else if (flags.command === "deploy") write(manifestsFor(updater, flags));
    else if (flags.command === "serve") write(await served(updater, flags));
    else throw new ServeProblem(`${wrongCommand(flags.command)}; --help prints what else there is`);
  } catch (error) {
    if (!(error instanceof ServeProblem)) throw error;
    fail(error.message);
  }
}

interface Flags {
  readonly command: string | undefined;
  readonly help?: boolean;
  readonly image?: string;
  readonly namespace?: string;
  readonly port?: string;
  readonly "tls-folder"?: string;
  readonly "client-authority"?: string;
}

function flagsIn(args: readonly string[]): Flags {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "tls-folder": { type: "string" },
        port: { type: "string" },
        "client-authority": { type: "string" },
        image: { type: "string" },
        namespace: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    return { ...values, command: positionals[0] };
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new ServeProblem(`${sentence}; --help prints what else there is`, { cause: error });
  }
}

function wrongCommand(command: string | undefined): string {
  return command === undefined
    ? "give a command: serve or deploy"
    : `${JSON.stringify(command)} is not a command; give serve or deploy`;
}

function manifestsFor(updater: Updater, { image, namespace }: Flags): string {
  if (image === undefined)
    throw new ServeProblem("deploy needs --image, such as --image registry.example.com/resizer:1");
  try {
    return deployManifests(updater, { image, ...(namespace !== undefined && { namespace }) });
  } catch (error) {
    // The manifests name the flag that is wrong.
    if (error instanceof TypeError) throw new ServeProblem(`--${error.message}`, { cause: error });
    throw error;
  }
}

async function served(updater: Updater, flags: Flags): Promise<string> {
  const { port, "tls-folder": tlsFolder, "client-authority": clientAuthorityFile } = flags;
  if (tlsFolder === undefined)
    throw new ServeProblem("serve needs --tls-folder, a folder with tls.crt and tls.key");
  const server = await serveUpdater(updater, {
    tlsFolder,
    ...(port !== undefined && { port: portIn(port) }),
    ...(clientAuthorityFile !== undefined && { clientAuthorityFile }),
  });
  return `updater ${updater.name} listens on port ${server.port}\n`;
}

function portIn(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new ServeProblem(`--port ${JSON.stringify(text)} must be a number between 0 and 65535`);
}
