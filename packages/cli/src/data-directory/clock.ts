import { writePrivateFile } from "@capstan/apiserver/private-file";
import { savedPosition } from "@capstan/azure-sim";
import { AdjustableClock, type Clock, type ClockAnchor, type Env, speedProblem } from "@capstan/env";
import { azureFolder } from "../azure/control-token.ts";
import { CommandError } from "../command-error.ts";
import { clockPath, savedAnchor } from "./saved-clock.ts";

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
