import type { Clock } from "@capstan/env";
import type { MachineUpdateVerdict } from "@capstan/plan";
import { shortHash } from "@capstan/runtime";
import type { ObjectReader } from "../contract/resolve.ts";
import { askUpdaters, isCurrent, type UpdateDecision, updatersKey } from "./ask.ts";
import type { DesiredState } from "./compare.ts";
import { registeredUpdaters, type UpdaterPorts } from "./hooks/updaters.ts";

/** The part of a pass that asks updaters; `capstan plan` has it too, without a controller. */
export type DecisionContext = ObjectReader & { readonly env: { readonly clock: Pick<Clock, "now"> } };

/** A decision in the status of an owner, and what it rests on. */
export type RecordedDecision = UpdateDecision & { readonly key: string };

/** What updaters are asked about. */
export interface UpdateSubject<Recorded extends RecordedDecision> {
  /** The decision of an earlier pass. */
  readonly before: Recorded | undefined;
  /** The decision that needs no updater. */
  readonly settled?: UpdateDecision | undefined;
  readonly desired: () => Promise<DesiredState>;
  /** The decision as the status of the owner has it. */
  readonly record: (decision: RecordedDecision) => Recorded;
}

/** The owner whose updaters are asked. */
interface Question<Recorded extends RecordedDecision> {
  readonly namespace: string;
  /** Identifies the desired state. */
  readonly desiredKey: unknown;
  readonly subjects: readonly UpdateSubject<Recorded>[];
}

/** Asks the updaters about each subject once for each desired state and list of updaters; other decisions are kept. */
export async function decisionsAbout<Recorded extends RecordedDecision>(
  { cache, env }: Pick<DecisionContext, "cache" | "env">,
  ports: UpdaterPorts,
  { namespace, desiredKey, subjects }: Question<Recorded>,
): Promise<readonly Recorded[]> {
  const nowMs = env.clock.now();
  const updaters = await registeredUpdaters(cache, ports, namespace);
  const key = hashOf([desiredKey, updatersKey(updaters)]);
  const decisions: Recorded[] = [];
  for (const { before, settled, desired, record } of subjects) {
    if (before && isCurrent(before, key, nowMs)) decisions.push(before);
    else {
      const decision = settled ?? (await askUpdaters(ports, { desired, updaters, nowMs }));
      decisions.push(record({ key, ...decision }));
    }
  }
  return decisions;
}

/** A short hash of facts. */
export function hashOf(facts: readonly unknown[]): string {
  return shortHash(JSON.stringify(facts));
}

/** What a decision says to a planner. */
export function verdictOf({
  result,
  updaters = [],
  message: why = "",
}: UpdateDecision): MachineUpdateVerdict {
  if (result !== "Covered") return { result, why };
  return {
    result,
    updaters: updaters.map(({ name }) => name),
    paths: updaters.flatMap(({ changes }) => changes),
    ...(updaters.some(({ needsDrain }) => needsDrain === true) && { needsDrain: true }),
    why,
  };
}
