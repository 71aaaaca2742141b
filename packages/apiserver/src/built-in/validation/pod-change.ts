import { deepEqual } from "@capstan/api";
import { type FieldProblem, forbiddenValue, invalidValue } from "../../schema/problem.ts";
import { type Fields, objectsIn } from "../fields.ts";
import { tolerationChangeProblems } from "./toleration.ts";

const ALLOWED =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Refuses changes of a pod spec that are not allowed. */
export function podChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  for (const list of ["containers", "initContainers"]) {
    if (objectsIn(spec, list).length !== objectsIn(old, list).length)
      return [forbiddenValue(`spec.${list}`, "pod updates may not add or remove containers")];
  }
  const deadline = deadlineProblems(spec["activeDeadlineSeconds"], old["activeDeadlineSeconds"]);
  if (deadline.length > 0 && spec["activeDeadlineSeconds"] !== undefined) return deadline;
  return [
    ...deadline,
    ...tolerationChangeProblems(
      "spec.tolerations",
      objectsIn(spec, "tolerations"),
      objectsIn(old, "tolerations"),
    ),
    ...gateProblems(objectsIn(spec, "schedulingGates"), objectsIn(old, "schedulingGates")),
    ...otherProblems(spec, old),
  ];
}

/** The deadline of a pod can be shortened, but never extended. */
function deadlineProblems(seconds: unknown, old: unknown): FieldProblem[] {
  const field = "spec.activeDeadlineSeconds";
  if (old === undefined) return [];
  if (seconds === undefined)
    return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  return Number(seconds) > Number(old)
    ? [invalidValue(field, seconds, "must be less than or equal to previous value")]
    : [];
}

function gateProblems(gates: readonly Fields[], old: readonly Fields[]): FieldProblem[] {
  const added = gates.find((gate) => !old.some((one) => deepEqual(one, gate)));
  if (!added) return [];
  const message = `only deletion is allowed, but found new scheduling gate '${String(added["name"])}'`;
  return [forbiddenValue("spec.schedulingGates", message)];
}

function otherProblems(spec: Fields, old: Fields): FieldProblem[] {
  const wanted = withoutAllowed(spec, old);
  const changed = Object.keys({ ...old, ...wanted }).filter((name) => !deepEqual(wanted[name], old[name]));
  if (changed.length === 0) return [];
  const lines = changed.flatMap((name) => [
    `- ${JSON.stringify(name)}: ${JSON.stringify(old[name] ?? null)}`,
    `+ ${JSON.stringify(name)}: ${JSON.stringify(wanted[name] ?? null)}`,
  ]);
  const message = `pod updates may not change fields other than ${ALLOWED}\n${lines.join("\n")}\n`;
  return [forbiddenValue("spec", message)];
}

/** The spec with every mutable field set to its old value. */
function withoutAllowed(spec: Fields, old: Fields): Fields {
  const wanted: Fields = { ...spec };
  for (const list of ["containers", "initContainers"]) {
    if (!spec[list]) continue;
    const before = objectsIn(old, list);
    wanted[list] = objectsIn(spec, list).map((one, index) => ({ ...one, image: before[index]?.["image"] }));
  }
  for (const name of ["activeDeadlineSeconds", "tolerations", "schedulingGates"]) {
    if (old[name] === undefined) delete wanted[name];
    else wanted[name] = old[name];
  }
  const [seconds, before] = [wanted["terminationGracePeriodSeconds"], old["terminationGracePeriodSeconds"]];
  if (seconds === 1 && Number(before) < 0) wanted["terminationGracePeriodSeconds"] = before;
  return wanted;
}
