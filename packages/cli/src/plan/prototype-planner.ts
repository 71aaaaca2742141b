import { AzureMachinePool, type Frozen, nodePrototypingOf } from "@capstan/api";
import { planPrototype, type StartDecision } from "@capstan/manager";
import type { PlanObjects } from "./given-objects.ts";
import type { Planner, PlanReport } from "./planner.ts";
import { machinePoolOf, partsOf } from "./pool-parts.ts";

/** Plans the images that pools take of their nodes. */
export const prototypePlanner: Planner = {
  kinds: [],
  isFor: ({ pools }) => pools.some((pool) => nodePrototypingOf(pool) !== undefined),
  planDump: (given, nowMs) => reportOf(decisionsIn(given, nowMs)),
  // A change of a pool's spec has no course for its image: the next renewal is planned when the pool is rolled out.
  forecast: () => Promise.resolve(reportOf([])),
};

interface PlannedImage {
  readonly pool: Frozen<AzureMachinePool>;
  readonly decision: StartDecision;
}

function decisionsIn(given: PlanObjects, nowMs: number): readonly PlannedImage[] {
  return given.pools.flatMap((pool) => {
    if (!machinePoolOf(pool, given.machinePools)) return [];
    const decision = planPrototype(partsOf(pool, given, ""), nowMs);
    return decision ? [{ pool, decision }] : [];
  });
}

function reportOf(planned: readonly PlannedImage[]): PlanReport {
  return {
    print: (form) => planned.map((one) => (form === "text" ? textOf(one) : markdownOf(one))).join("\n"),
    json: { actions: planned.map(actionOf), blocked: [] },
    isDisruptive: planned.some(({ decision }) => decision.do === "start"),
    notes: [],
  };
}

function actionOf({ pool, decision }: PlannedImage): object {
  const { name, namespace = "default" } = pool.metadata;
  const object = { kind: AzureMachinePool.kind, namespace, name };
  const { why } = decision;
  if (decision.do === "start") {
    const { donor } = decision;
    return {
      controller: "nodeprototype",
      object,
      action: "StartPrototype",
      targets: [donor],
      detail: { donor },
      why,
    };
  }
  const detail = { reason: decision.reason };
  return { controller: "nodeprototype", object, action: "Wait", targets: [name], detail, why };
}

function headingOf({ pool: { metadata } }: PlannedImage): string {
  return `Image of AzureMachinePool ${metadata.namespace}/${metadata.name}`;
}

function subjectOf({ decision }: PlannedImage): string {
  return decision.do === "start" ? `StartPrototype ${decision.donor}` : `Wait ${decision.reason}`;
}

function textOf(one: PlannedImage): string {
  return `${headingOf(one)}\n  ${subjectOf(one)}\n      ${one.decision.why}\n`;
}

function markdownOf(one: PlannedImage): string {
  return `### ${headingOf(one)}\n\n${subjectOf(one)}: ${one.decision.why}\n`;
}
