import { join } from "node:path";
import { readIfThere, writePrivateFile } from "@capstan/apiserver";
import { savedPosition } from "@capstan/azure-sim";
import { AdjustableClock, type Clock, type ClockAnchor, type Env, speedProblem } from "@capstan/env";
import { azureFolder } from "../azure/control-token.ts";
import { CommandError } from "../command-error.ts";

/** Which clock to open. */
export interface ClockOptions {
  readonly env: Env;
  /** The data directory that stores it; without one it starts with the machine's clock and ends with the process. */
  readonly dataDir?: string;
  /** Its speed from now on, relative to the machine's clock. Default: as before, 1 at first. */
  readonly speed?: number;
}

/** The one clock of everything in a data directory. Only the process that holds the directory may open it. */
export function openClock({ env, dataDir, speed }: ClockOptions): AdjustableClock {
  const problem = speed === undefined ? undefined : speedProblem(speed);
  if (problem !== undefined) throw new CommandError(`--speed ${problem}`);
  const clock = dataDir === undefined ? new AdjustableClock(env.clock) : keptClock(env.clock, dataDir);
  if (speed !== undefined) clock.setSpeed(speed);
  return clock;
}

/** The time of a data directory, for a caller that does not hold it. */
export function timeIn({ clock }: Env, dataDir: string): number {
  const anchor = savedAnchor(dataDir);
  return anchor ? new AdjustableClock(clock, { anchor }).now() : clock.now();
}

function keptClock(base: Clock, dataDir: string): AdjustableClock {
  const keep = (anchor: ClockAnchor): void =>
    writePrivateFile(clockPath(dataDir), `${JSON.stringify(anchor)}\n`);
  const saved = savedAnchor(dataDir);
  if (saved) return new AdjustableClock(base, { anchor: saved, keep });
  const anchor = firstAnchor(base.now(), dataDir);
  keep(anchor);
  return new AdjustableClock(base, { anchor, keep });
}

/** Where a clock without a file starts: at the machine's time, unless the simulated Azure is ahead of it. */
function firstAnchor(nowMs: number, dataDir: string): ClockAnchor {
  const position = savedPosition(azureFolder(dataDir));
  // Earlier versions stored the clock of the simulated Azure with its position.
  if (position && "wallMs" in position) {
    const { wallMs, simMs, speed } = position;
    return { wallMs, simMs, speed };
  }
  return { wallMs: nowMs, simMs: Math.max(nowMs, position?.simMs ?? nowMs), speed: 1 };
}

function savedAnchor(dataDir: string): ClockAnchor | undefined {
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

function clockPath(dataDir: string): string {
  return join(dataDir, "clock.json");
}
