import { parseArgs } from "node:util";
import type { Updater } from "./define-updater.ts";
import { deployManifests } from "./deploy.ts";
import { serveUpdater } from "./serve-updater.ts";

/** What the program of an updater takes from its surroundings. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly write: (text: string) => void;
}

const USAGE = `usage:
  serve --tls-folder FOLDER [--port 9443] [--client-authority FILE]   serves the updater over TLS
  deploy --image IMAGE [--namespace NAMESPACE]                        prints the manifests that deploy it
`;

/** The program of an updater: serves it, or prints its manifests. Returns once it serves, or has printed. */
export async function runUpdater(
  updater: Updater,
  { args, write }: Surroundings = {
    args: process.argv.slice(2),
    write: (text) => void process.stdout.write(text),
  },
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "tls-folder": { type: "string" },
      port: { type: "string" },
      "client-authority": { type: "string" },
      image: { type: "string" },
      namespace: { type: "string" },
    },
  });
  const [command] = positionals;
  const { image, namespace, port, "tls-folder": tlsFolder, "client-authority": clientAuthorityFile } = values;
  if (command === "deploy" && image !== undefined) {
    write(deployManifests(updater, { image, ...(namespace !== undefined && { namespace }) }));
  } else if (command === "serve" && tlsFolder !== undefined) {
    const server = await serveUpdater(updater, {
      tlsFolder,
      ...(port !== undefined && { port: portIn(port) }),
      ...(clientAuthorityFile !== undefined && { clientAuthorityFile }),
    });
    write(`updater ${updater.name} listens on port ${server.port}\n`);
  } else write(USAGE);
}

function portIn(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new TypeError(`--port ${JSON.stringify(text)} must be a number between 0 and 65535`);
}
