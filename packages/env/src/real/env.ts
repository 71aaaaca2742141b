import { randomBytes, randomUUID } from "node:crypto";
import type { Env } from "../env.ts";
import { rngStreams } from "../rng.ts";
import { realClock } from "./clock.ts";

/** The environment of a process in production: the machine's clock, unpredictable randomness. */
export function createRealEnv(): Env {
  return {
    clock: realClock(),
    rng: rngStreams(randomBytes(16).toString("hex")),
    uuid: () => randomUUID(),
  };
}
