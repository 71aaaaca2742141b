import { join } from "node:path";
import { readIfThere, removeIfThere, writePrivateFile } from "@capstan/apiserver/private-file";
import { isLocked } from "./lock.ts";

/** The process that holds a data directory. */
export interface Holder {
  readonly pid: number;
  /** When it started, as an RFC 3339 time. */
  readonly since: string;
  /** Where its Kubernetes API listens; absent while it starts, or if it has none. */
  readonly url?: string;
  /** Where its simulated Azure listens. */
  readonly azureUrl?: string;
}

/** The holder of a data directory; undefined if it has none, "unknown" until the holder has announced itself. */
export function holderOf(folder: string): Holder | "unknown" | undefined {
  if (!isLocked(folder)) return undefined;
  const text = readIfThere(holderPath(folder));
  return text === undefined ? "unknown" : (JSON.parse(text) as Holder);
}

/** Announces the holder of the directory. Only the process with its lock may do that. */
export function announceHolder(folder: string, holder: Holder): void {
  writePrivateFile(holderPath(folder), `${JSON.stringify(holder)}\n`);
}

/** Removes the announcement, also that of a holder that crashed. */
export function forgetHolder(folder: string): void {
  removeIfThere(holderPath(folder));
}

/** Describes a holder: `pid 4711 since …, https://…`. */
export function describeHolder(holder: Holder | "unknown"): string {
  if (holder === "unknown") return "a process that has just started";
  const { pid, since, url, azureUrl } = holder;
  return `pid ${pid} since ${since}, ${url ?? azureUrl ?? "not listening yet"}`;
}

function holderPath(folder: string): string {
  return join(folder, "server.json");
}
