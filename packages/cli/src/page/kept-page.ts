import { join } from "node:path";
import { readIfThere, writePrivateFile } from "@capstan/apiserver/private-file";
import { isJsonObject } from "@capstan/api";
import type { SessionStore } from "./sessions.ts";

/** What a data directory has of its page, so that windows go on after a restart: the port, and who is logged in. */
export interface KeptPage extends SessionStore {
  /** The port of before; undefined if there is none. */
  readonly port: number | undefined;
  keepPort(port: number): void;
}

const HASH = /^[0-9a-f]{64}$/;

/** The kept page of a data directory. A damaged file is as good as none: users log in again. */
export function keptPage(dataDir: string): KeptPage {
  const path = join(dataDir, "page.json");
  let { port, sessions } = parsed(readIfThere(path));
  const write = (): void => writePrivateFile(path, `${JSON.stringify({ port, sessions })}\n`);
  return {
    port,
    keepPort: (used) => {
      if (used === port) return;
      port = used;
      write();
    },
    load: () => new Map(Object.entries(sessions)),
    save: (hashes) => {
      sessions = Object.fromEntries(hashes);
      write();
    },
  };
}

interface Saved {
  readonly port: number | undefined;
  readonly sessions: Readonly<Record<string, string>>;
}

function parsed(text: string | undefined): Saved {
  const { port, sessions } = fieldsOf(text);
  const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
  const known = Object.entries(isJsonObject(sessions) ? sessions : {}).filter(
    (entry): entry is [string, string] =>
      HASH.test(entry[0]) && typeof entry[1] === "string" && HASH.test(entry[1]),
  );
  return { port: isPort ? port : undefined, sessions: Object.fromEntries(known) };
}

function fieldsOf(text = "{}"): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(text);
    return isJsonObject(fields) ? fields : {};
  } catch {
    return {};
  }
}
