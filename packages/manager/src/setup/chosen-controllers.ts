import { AzureCluster, type CustomKind, type Feature, FEATURE_NAMES, type Features } from "@capstan/api";
import { type ControllerDefinition, CONTROLLERS } from "./controllers.ts";
import { reviewedKinds } from "../webhooks/review.ts";

/** The names that stand for several controllers, each with those that belong to it. */
export const CONTROLLER_GROUPS: Readonly<Record<string, readonly string[]>> = {
  // Beside Cluster API's own core: without our MachineSets, which clone templates, images of templates have no effect.
  azure: CONTROLLERS.filter(({ kind, effectiveWith }) => isAzures(kind) && effectiveWith === undefined).map(
    ({ name }) => name,
  ),
};

/** The controllers that names of controllers and of groups stand for, in their usual order; all unless given. */
export function chosenControllers(names: readonly string[] | undefined): readonly ControllerDefinition[] {
  if (!names) return CONTROLLERS;
  const chosen = new Set(names.flatMap((name) => CONTROLLER_GROUPS[name] ?? [name]));
  return CONTROLLERS.filter(({ name }) => chosen.has(name));
}

/** The names that stand for no controller and no group. */
export function unknownControllers(names: readonly string[]): readonly string[] {
  return names.filter(
    (name) => !Object.hasOwn(CONTROLLER_GROUPS, name) && CONTROLLERS.every((one) => one.name !== name),
  );
}

/**
 * The kinds that come with controllers: their own, and kinds without a controller, such as templates, of the same API
 * groups.
 */
export function kindsOf(controllers: readonly ControllerDefinition[]): readonly CustomKind[] {
  const own = new Set(controllers.map(({ kind }) => kind));
  const groups = new Set(controllers.map(({ kind }) => kind.group));
  const reconciled = new Set(CONTROLLERS.map(({ kind }) => kind));
  return reviewedKinds.filter((kind) => own.has(kind) || (!reconciled.has(kind) && groups.has(kind.group)));
}

/** The controllers that a feature changes. */
const CHANGED_BY: Readonly<Record<Feature, readonly string[]>> = {
  InPlaceUpdates: ["machinedeployment", "machineset", "machine", "kubeadmcontrolplane"],
  NodePrototyping: ["nodeprototype", "templateprototype"],
};

/** The features that are on although none of the controllers that they change runs, each with those controllers. */
export function featuresWithoutEffect(
  features: Features,
  controllers: readonly ControllerDefinition[],
): ReadonlyMap<Feature, readonly string[]> {
  const running = new Set(controllers.map(({ name }) => name));
  const idle = FEATURE_NAMES.filter(
    (feature) => features[feature] && !CHANGED_BY[feature].some((name) => running.has(name)),
  );
  return new Map(idle.map((feature) => [feature, CHANGED_BY[feature]]));
}

function isAzures({ group }: CustomKind): boolean {
  return group === AzureCluster.group;
}
