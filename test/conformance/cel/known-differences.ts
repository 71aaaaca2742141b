/** Where the embedded server answers a rule otherwise than the recorded kube-apiserver, and why. */
export interface KnownDifference {
  readonly reason: string;
  /** The steps that differ; all others must be equal. */
  readonly steps: readonly number[];
}

const OTHER_WORDS = "refused too, in the words of another parser";
const UNTYPED =
  "rules are compiled without the types of their fields: an unknown field or a mix of types fails when the rule runs, not at the definition";
const NO_ESTIMATE = "no cost is estimated at the definition; the cost of a rule is limited when it runs";
const MISSING = "the library is missing: a warning says that the rule is not evaluated";

/** By the id of the sequence. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, KnownDifference>> = {
  "cel-message-expression-bad": { reason: OTHER_WORDS, steps: [0] },
  "cel-regex-bad": { reason: OTHER_WORDS, steps: [0] },
  "cel-compile-errors": { reason: OTHER_WORDS, steps: [0] },
  "cel-escape-grammar": { reason: OTHER_WORDS, steps: [0] },
  "cel-authorizer": { reason: OTHER_WORDS, steps: [0] },
  "cel-bind-bad": { reason: OTHER_WORDS, steps: [0] },
  "cel-escape-bad": { reason: UNTYPED, steps: [0] },
  "cel-int-double-bad": { reason: UNTYPED, steps: [0] },
  "cel-root-bad": { reason: UNTYPED, steps: [0] },
  "cel-preserve-unknown-bad": { reason: UNTYPED, steps: [0] },
  "cel-message-expression-cost": { reason: NO_ESTIMATE, steps: [0] },
  "cel-cost": { reason: NO_ESTIMATE, steps: [0] },
  "cel-cost-nested": { reason: NO_ESTIMATE, steps: [0] },
  "cel-cost-total": { reason: NO_ESTIMATE, steps: [0] },
  "cel-default-invalid": { reason: "defaults are not checked by rules at the definition", steps: [0] },
  "cel-oldself-whole-list": {
    reason: "equality of sets and list-maps does not ignore their order",
    steps: [3, 4],
  },
  "cel-ratchet-list": { reason: "the order of warnings of siblings is random in kube-apiserver", steps: [5] },
  "cel-ip-cidr": { reason: MISSING, steps: [0, 2, 4, 5, 6] },
  "cel-format": { reason: MISSING, steps: [0, 2, 3, 5] },
  "cel-strings": { reason: MISSING, steps: [0, 4] },
  "cel-comprehension": { reason: MISSING, steps: [0, 2] },
};
