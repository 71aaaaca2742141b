import { deepEqual, labelKeyProblems, labelValueProblems } from "@capstan/api";
import { type FieldProblem, forbiddenValue, invalidValue } from "../../schema/problem.ts";
import { type Fields, textIn } from "../fields.ts";
import { choiceProblems, formProblems } from "./checks.ts";
import { TAINT_EFFECTS } from "./node.ts";

/** Validates the tolerations of a pod. */
export function tolerationProblems(field: string, tolerations: readonly Fields[]): FieldProblem[] {
  return tolerations.flatMap((toleration, index) => {
    const at = `${field}[${index}]`;
    const [key, effect] = [textIn(toleration, "key"), textIn(toleration, "effect")];
    return [
      ...(key === "" ? [] : formProblems(`${at}.key`, key, labelKeyProblems)),
      ...(key === "" && toleration["operator"] !== "Exists" ? [everyKeyProblem(at, toleration)] : []),
      ...(toleration["tolerationSeconds"] !== undefined && effect !== "NoExecute"
        ? [invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
        : []),
      ...operatorProblems(`${at}.operator`, toleration),
      ...(effect === "" ? [] : choiceProblems(`${at}.effect`, effect, TAINT_EFFECTS)),
    ];
  });
}

function everyKeyProblem(at: string, toleration: Fields): FieldProblem {
  const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return invalidValue(`${at}.operator`, textIn(toleration, "operator"), detail);
}

function operatorProblems(field: string, toleration: Fields): FieldProblem[] {
  const [operator, value] = [textIn(toleration, "operator"), textIn(toleration, "value")];
  if (operator === "Exists")
    return value === ""
      ? []
      : [invalidValue(field, value, "value must be empty when `operator` is 'Exists'")];
  if (operator !== "Equal" && operator !== "") return choiceProblems(field, operator, ["Equal", "Exists"]);
  const problems = labelValueProblems(value);
  return problems.length === 0 ? [] : [invalidValue(field, value, problems.join(";"))];
}

/** Tolerations of an existing pod can be added, not removed. */
export function tolerationChangeProblems(
  field: string,
  tolerations: readonly Fields[],
  old: readonly Fields[],
): FieldProblem[] {
  const isKept = (one: Fields): boolean =>
    tolerations.some(({ tolerationSeconds, ...other }) => {
      const { tolerationSeconds: _, ...before } = one;
      return deepEqual(before, other);
    });
  return old.every(isKept)
    ? []
    : [forbiddenValue(field, "existing toleration can not be modified except its tolerationSeconds")];
}
