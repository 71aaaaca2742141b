import type { Invariant } from "../invariant.ts";
import { drainsFirst } from "./drains-first.ts";
import { keepsAvailability } from "./keeps-availability.ts";
import { keepsSecrets } from "./keeps-secrets.ts";
import { keepsWithinSurge } from "./keeps-within-surge.ts";
import { oneResourcePerInstance } from "./one-resource-per-instance.ts";
import { standsStill } from "./stands-still.ts";
import { takesNothingAway } from "./takes-nothing-away.ts";
import { tellsTheTruth } from "./tells-the-truth.ts";
import { touchesItsOwn } from "./touches-its-own.ts";

/** The invariants of every world with machine pools. */
export const MACHINE_POOL_INVARIANTS: readonly Invariant[] = [
  // These come first: later ones would only report the consequences.
  touchesItsOwn,
  keepsAvailability,
  keepsWithinSurge,
  drainsFirst,
  oneResourcePerInstance,
  tellsTheTruth,
  standsStill,
  keepsSecrets,
  takesNothingAway,
];
