import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Handler, type HttpResponse, type ListeningServer, serveHttp } from "@capstan/env";
import type { Updater } from "./define-updater.ts";
import { unreadable, unstartable } from "./serve-problem.ts";

/** The address and the certificates of an updater. */
export interface ServeUpdaterOptions {
  /** All addresses unless given. */
  readonly host?: string;
  /** 9443 unless given; 0 picks a free port. */
  readonly port?: number;
  /** A folder with `tls.crt` and `tls.key`, as Kubernetes mounts a Secret of a certificate. */
  readonly tlsFolder: string;
  /** A file with the authority of client certificates; with it, callers without one are refused. */
  readonly clientAuthorityFile?: string;
}

const DEFAULT_PORT = 9443;
// Machines with their configuration have some hundred kilobytes at most.
const BODY_BYTES = 4 * 1024 * 1024;

/** Serves an updater over TLS until it is closed. Throws a ServeProblem that says why it cannot be served. */
export async function serveUpdater(updater: Updater, options: ServeUpdaterOptions): Promise<ListeningServer> {
  const { host, port = DEFAULT_PORT, tlsFolder, clientAuthorityFile } = options;
  const clientCa =
    clientAuthorityFile === undefined
      ? undefined
      : textOf(clientAuthorityFile, `the authority of clients ${clientAuthorityFile}`);
  const [cert, key] = ["tls.crt", "tls.key"].map((name) =>
    textOf(join(tlsFolder, name), `${name} in the TLS folder ${tlsFolder}`),
  );
  const handle = clientCa === undefined ? updater.handle : verified(updater.handle);
  try {
    return await serveHttp(handle, {
      ...(host !== undefined && { host }),
      port,
      bodyLimitBytes: BODY_BYTES,
      tls: { cert: cert ?? "", key: key ?? "", ...(clientCa !== undefined && { clientCa }) },
    });
  } catch (error) {
    throw unstartable(port, error);
  }
}

function textOf(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(what, error);
  }
}

/** An updater changes machines: only the manager may call it. */
function verified(handle: Handler): Handler {
  return (request) => (request.peer ? handle(request) : Promise.resolve(refusal()));
}

function refusal(): HttpResponse {
  const text = JSON.stringify({ message: "a client certificate is required" });
  return {
    status: 401,
    headers: { "content-type": "application/json" },
    json: () => Promise.resolve(JSON.parse(text) as unknown),
    text: () => Promise.resolve(text),
    lines: async function* () {
      yield await Promise.resolve(JSON.parse(text) as unknown);
    },
  };
}
