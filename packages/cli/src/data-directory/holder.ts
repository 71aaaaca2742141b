import { join } from "node:path";
import { readIfThere, removeIfThere, writePrivateFile } from "@capstan/apiserver";
import { isLocked } from "./lock.ts";

/** The process that holds a data directory. */
export interface Holder {
  readonly pid: number;
  /** When it started, as an RFC 3339 time. */
  readonly since: string;
  /** Where its Kubernetes API listens; not there while it starts, or when it has none. */
  readonly url?: string;
  /** Where its simulated Azure listens. */
  readonly azureUrl?: string;
}

/** Who holds a data directory now; undefined when nobody does, "unknown" in the moment before it has said so. */
export function holderOf(folder: string): Holder | "unknown" | undefined {
  if (!isLocked(folder)) return undefined;
  const text = readIfThere(holderPath(folder));
  return text === undefined ? "unknown" : (JSON.parse(text) as Holder);
}

/** Says who holds the directory. Only the one who has its lock may. */
export function announceHolder(folder: string, holder: Holder): void {
  writePrivateFile(holderPath(folder), `${JSON.stringify(holder)}\n`);
}

/** Takes back what was said, also by a holder that could not do so itself. */
export function forgetHolder(folder: string): void {
  removeIfThere(holderPath(folder));
}

/** A holder in words: `pid 4711 since …, https://…`. */
export function describeHolder(holder: Holder | "unknown"): string {
  if (holder === "unknown") return "a process that has just started";
  const { pid, since, url, azureUrl } = holder;
  return `pid ${pid} since ${since}, ${url ?? azureUrl ?? "not listening yet"}`;
}

function holderPath(folder: string): string {
  return join(folder, "server.json");
}
