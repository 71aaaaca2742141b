import { type FieldProblem, invalidValue } from "../../schema/problem.ts";
import type { Draft } from "../../storage/storage.ts";
import { numberIn, objectIn } from "../fields.ts";
import { negativeProblems } from "./checks.ts";

/** Validates a Lease. */
export function leaseProblems(draft: Draft): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const seconds = spec["leaseDurationSeconds"];
  return [
    ...(seconds !== undefined && numberIn(spec, "leaseDurationSeconds") <= 0
      ? [invalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0")]
      : []),
    ...negativeProblems("spec", spec, ["leaseTransitions"]),
  ];
}
