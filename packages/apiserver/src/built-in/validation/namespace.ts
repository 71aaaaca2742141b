import { labelKeyProblems } from "@capstan/api";
import { type FieldProblem, invalidValue } from "../../schema/problem.ts";
import type { Draft } from "../../storage/storage.ts";
import { objectIn } from "../fields.ts";
import { formProblems } from "./checks.ts";

/** Validates a Namespace. */
export function namespaceProblems(draft: Draft): FieldProblem[] {
  const finalizers = (objectIn(draft, "spec")["finalizers"] ?? []) as readonly string[];
  return finalizers.flatMap((finalizer) => [
    ...formProblems("spec.finalizers", finalizer, labelKeyProblems),
    ...(finalizer.includes("/") || finalizer === "kubernetes"
      ? []
      : [
          invalidValue(
            "spec.finalizers",
            finalizer,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ]),
  ]);
}
