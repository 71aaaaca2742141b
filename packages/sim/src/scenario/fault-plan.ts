import { createRng } from "@capstan/env";
import { FAULT_IDS, type FaultId } from "./fault-catalogue.ts";
import { type Fault, readFault } from "./fault-text.ts";
import type { Problem } from "./problem.ts";

/** The faults of a run: a list, or a subset of the catalogue chosen by the seed. */
export type FaultPlan = readonly Fault[] | "swarm";

/** A parsed plan, or what is wrong with its text. */
export type FaultPlanReading = { readonly plan: FaultPlan } | { readonly problems: readonly Problem[] };

/** Parses the value of `--faults`: `none`, `swarm`, or a comma-separated list. */
export function readFaultPlan(text: string): FaultPlanReading {
  if (text === "none") return { plan: [] };
  if (text === "swarm") return { plan: "swarm" };
  const faults: Fault[] = [];
  const problems: Problem[] = [];
  let column = 1;
  const parts = text.split(",");
  // These stand alone.
  const others = parts.length === 1 ? ["none", "swarm"] : [];
  for (const part of parts) {
    const reading = readFault(part.trim(), others);
    const at = { file: "--faults", line: 1, column };
    if ("fault" in reading) faults.push(reading.fault);
    else problems.push({ at, field: "", message: `${JSON.stringify(part.trim())}: ${reading.message}` });
    column += part.length + 1;
  }
  return problems.length > 0 ? { problems } : { plan: faults };
}

// Three seeds of ten run without faults, to test scheduling alone, and one with a single fault.
const SHARE_WITHOUT = 0.3;
const SHARE_WITH_ONE = 0.1;

/** Faults that are drawn on their own: the others stay those of seeds that have found a bug. */
const LATER: readonly FaultId[] = ["forward-broken"];
const FIRST = FAULT_IDS.filter((id) => !LATER.includes(id));

/** The faults of a plan: its list, or the seed's choice. */
export function faultsOf(plan: FaultPlan, seed: string): readonly Fault[] {
  if (plan !== "swarm") return plan;
  const rng = createRng(seed, "faults/swarm");
  const draw = rng.next();
  const shuffled = rng.shuffle(FIRST);
  const size =
    draw < SHARE_WITHOUT ? 0 : draw < SHARE_WITHOUT + SHARE_WITH_ONE ? 1 : 2 + rng.below(FIRST.length - 1);
  const later = LATER.filter((id) => size > 1 && createRng(seed, `faults/swarm/${id}`).below(2) === 0);
  const chosen = new Set([...shuffled.slice(0, size), ...later]);
  return FAULT_IDS.filter((id) => chosen.has(id)).flatMap((id) => {
    const reading = readFault(id);
    return "fault" in reading ? [reading.fault] : [];
  });
}
