import { join } from "node:path";
import { readIfThere } from "@capstan/apiserver/private-file";
import { AdjustableClock, type ClockAnchor, type Env, speedProblem } from "@capstan/env";
import { CommandError } from "../command-error.ts";

/** The time of a data directory, for a caller that does not hold it. */
export function timeIn({ clock }: Env, dataDir: string): number {
  const anchor = savedAnchor(dataDir);
  return anchor ? new AdjustableClock(clock, { anchor }).now() : clock.now();
}

/** What a data directory has stored of its clock. */
export function savedAnchor(dataDir: string): ClockAnchor | undefined {
  const path = clockPath(dataDir);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const found = parsed(text);
  if (typeof found !== "string") return found;
  throw new CommandError(
    `${path} is damaged: ${found}; remove it, and the clock resumes from the state of the simulated Azure`,
  );
}

/** Parses the anchor; returns a message if it is invalid. */
function parsed(text: string): ClockAnchor | string {
  const { wallMs, simMs, speed } = fieldsOf(text);
  if (!isTime(wallMs)) return `wallMs is ${JSON.stringify(wallMs)}; expected milliseconds since 1970`;
  if (!isTime(simMs)) return `simMs is ${JSON.stringify(simMs)}; expected milliseconds since 1970`;
  const problem = speedProblem(speed);
  return problem === undefined ? { wallMs, simMs, speed: Number(speed) } : `speed ${problem}`;
}

function fieldsOf(text: string): { readonly wallMs?: unknown; readonly simMs?: unknown; speed?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    // A text that is not JSON counts as an object without fields, and is reported as such.
    return {};
  }
}

// The limit of a Date; a later time could not be written as a timestamp.
const LAST_MS = 8.64e15;

function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= LAST_MS;
}

/** Where the clock of a data directory is stored. */
export function clockPath(dataDir: string): string {
  return join(dataDir, "clock.json");
}
