import { nodePrototypingOf, templatePrototypingOf } from "@capstan/api";
import { planPrototype, planTemplatePrototype } from "@capstan/manager";
import type { StartDecision } from "@capstan/plan";
import { type ImageOwner, isTemplate } from "../../prototype/image-owner.ts";
import { type PlanObjects, titleOf } from "../read/given-objects.ts";
import { NOTHING, type Planner, type PlanReport } from "./planner.ts";
import { machinePoolOf, partsOf } from "./pool-parts.ts";

/** Plans the images that pools and templates take of their nodes. */
export const prototypePlanner: Planner = {
  kinds: [],
  isFor: ({ pools, azureTemplates, deployments, sets }) =>
    pools.some((pool) => nodePrototypingOf(pool) !== undefined) ||
    (deployments.length + sets.length > 0 &&
      azureTemplates.some((template) => templatePrototypingOf(template) !== undefined)),
  planDump: (given, nowMs) => reportOf([...poolDecisions(given, nowMs), ...templateDecisions(given, nowMs)]),
  // A change of a spec has no course for its image: the next renewal is planned when the change is rolled out.
  forecast: () => Promise.resolve(reportOf([])),
};

interface PlannedImage {
  readonly owner: ImageOwner;
  readonly decision: StartDecision;
}

function poolDecisions(given: PlanObjects, nowMs: number): readonly PlannedImage[] {
  return given.pools.flatMap((owner) => {
    if (!machinePoolOf(owner, given.machinePools)) return [];
    const decision = planPrototype(partsOf(owner, given, ""), nowMs);
    return decision ? [{ owner, decision }] : [];
  });
}

function templateDecisions(given: PlanObjects, nowMs: number): readonly PlannedImage[] {
  const { deployments, sets, controlPlanes, setMachines: machines } = given;
  return given.azureTemplates.flatMap((template) => {
    const objects = { template, deployments, sets, controlPlanes, machines };
    const decision = planTemplatePrototype(objects, nowMs);
    return decision ? [{ owner: template, decision }] : [];
  });
}

function reportOf(planned: readonly PlannedImage[]): PlanReport {
  return {
    print: (form) => planned.map((one) => (form === "text" ? textOf(one) : markdownOf(one))).join("\n"),
    json: { actions: planned.map(actionOf), blocked: [] },
    isDisruptive: planned.some(({ decision }) => decision.do === "start"),
    notes: [],
    // A renewal that waits is told, and is not an action.
    ...(planned.every(({ decision }) => decision.do !== "start") && { summary: NOTHING }),
  };
}

function actionOf({ owner, decision }: PlannedImage): object {
  const { name, namespace = "default" } = owner.metadata;
  const object = { kind: owner.kind, namespace, name };
  const controller = isTemplate(owner) ? "templateprototype" : "nodeprototype";
  const { why } = decision;
  if (decision.do === "start") {
    const { donor } = decision;
    return {
      controller,
      object,
      action: "StartPrototype",
      targets: [donor],
      detail: { donor },
      why,
    };
  }
  const detail = { reason: decision.reason };
  return { controller, object, action: "Wait", targets: [name], detail, why };
}

function headingOf({ owner }: PlannedImage): string {
  return `Image of ${titleOf(owner)}`;
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
