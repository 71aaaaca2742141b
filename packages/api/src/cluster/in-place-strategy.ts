import { DEFAULT_FEATURES, type Features } from "../features.ts";
import { boolean, listOf, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";
import { type FieldError, invalid } from "../values/field-error.ts";

/** The strategies that update machines in place; they are synonyms. */
export const IN_PLACE_STRATEGIES: readonly string[] = ["ExternalUpdate", "InPlace"];

/** Refuses a fallback for strategies that never need one. */
export const FALLBACK_ONLY_IN_PLACE = {
  rule: "!has(self.fallbackRollingUpdate) || (has(self.type) && self.type in ['ExternalUpdate', 'InPlace'])",
  message: "fallbackRollingUpdate may only be set when type is ExternalUpdate or InPlace",
};

const Path = string("The path of a field, such as machine.spec.version.", { minLength: 1, maxLength: 512 });

/** The fields of a decision whether updaters can update machines in place. */
export const inPlaceDecision = {
  key: string("A hash of the templates and the updaters that the decision is based on.", { maxLength: 64 }),
  result: oneOf(
    "Covered: updaters make all changes. Uncovered: no updater makes some of them. Unknown: an updater did not answer.",
    ["Covered", "Uncovered", "Unknown"],
  ),
  updaters: optional(
    listOf(
      "The updaters to run, in order.",
      object("An updater, and the changes that it makes.", {
        name: string("The name of the updater.", { minLength: 1, maxLength: 512 }),
        changes: listOf("The fields that it changes.", Path, { maxItems: 256 }),
        needsDrain: optional(boolean("Whether the Node is drained before the first call of UpdateMachine.")),
        affectsAvailability: optional(
          boolean("False if the updater says that the machine stays available. It changes no budget yet."),
        ),
      }),
      { maxItems: 32 },
    ),
  ),
  uncovered: optional(listOf("The fields that no updater changes.", Path, { maxItems: 256 })),
  message: optional(string("Why, for users.", { maxLength: 2048 })),
  retryAfter: optional(timestamp("When the updaters are asked again.")),
} as const;

/** The old and the new type of a strategy, under the features that are on. */
interface StrategyChange {
  readonly type: string | undefined;
  readonly oldType: string | undefined;
  readonly features: Features | undefined;
}

/** Refuses to choose an update in place while its feature is off; an object that has chosen it before is kept. */
export function inPlaceGateErrors(
  field: string,
  { type = "", oldType = "", features = DEFAULT_FEATURES }: StrategyChange,
): FieldError[] {
  if (!IN_PLACE_STRATEGIES.includes(type) || features.InPlaceUpdates) return [];
  if (IN_PLACE_STRATEGIES.includes(oldType)) return [];
  const problem =
    "needs the feature gate InPlaceUpdates; start the manager with --feature-gates InPlaceUpdates=true";
  return [invalid(field, type, problem)];
}
