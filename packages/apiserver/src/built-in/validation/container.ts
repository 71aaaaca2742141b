import { compareQuantities, labelKeyProblems, parseQuantity } from "@capstan/api";
import { duplicateValue, type FieldProblem, invalidValue, requiredValue } from "../../schema/problem.ts";
import { type Fields, numberIn, objectIn, objectsIn, textIn } from "../fields.ts";
import {
  choiceProblems,
  formProblems,
  labelNameProblems,
  portNameProblems,
  portProblems,
  presence,
} from "./checks.ts";
import { environmentProblems, mountProblems, sourceProblems } from "./environment.ts";
import { handlerProblems, probeProblems } from "./probe.ts";

/** What the containers of a pod share. */
export interface Surroundings {
  /** The volumes that they can mount. */
  readonly volumes: ReadonlySet<string>;
  /** The names that are taken; those of further containers are added. */
  readonly names: Set<string>;
}

/** Validates the containers in a field of a pod. */
export function containerProblems(
  field: string,
  containers: readonly Fields[],
  { volumes, names }: Surroundings,
): FieldProblem[] {
  return containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const name = textIn(container, "name");
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...labelNameProblems(`${at}.name`, name),
      ...presence(`${at}.image`, container["image"]),
      ...choiceProblems(`${at}.terminationMessagePolicy`, container["terminationMessagePolicy"], [
        "File",
        "FallbackToLogsOnError",
      ]),
      ...containerPortProblems(`${at}.ports`, objectsIn(container, "ports")),
      ...environmentProblems(`${at}.env`, objectsIn(container, "env")),
      ...sourceProblems(`${at}.envFrom`, objectsIn(container, "envFrom")),
      ...mountProblems(`${at}.volumeMounts`, objectsIn(container, "volumeMounts"), volumes),
      ...choiceProblems(`${at}.imagePullPolicy`, container["imagePullPolicy"], [
        "Always",
        "IfNotPresent",
        "Never",
      ]),
      ...resourceProblems(`${at}.resources`, objectIn(container, "resources")),
      ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ...lifecycleProblems(`${at}.lifecycle`, objectIn(container, "lifecycle")),
      ...probeProblems(at, container),
    ];
  });
}

function containerPortProblems(field: string, ports: readonly Fields[]): FieldProblem[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${field}[${index}]`;
    const [name, number] = [textIn(port, "name"), numberIn(port, "containerPort")];
    const isRepeated = name !== "" && names.has(name);
    names.add(name);
    return [
      ...(name === "" ? [] : formProblems(`${at}.name`, name, portNameProblems)),
      ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ...(number === 0
        ? [requiredValue(`${at}.containerPort`)]
        : portProblems(`${at}.containerPort`, number)),
      ...(port["hostPort"] === undefined ? [] : portProblems(`${at}.hostPort`, numberIn(port, "hostPort"))),
      ...choiceProblems(`${at}.protocol`, port["protocol"], ["SCTP", "TCP", "UDP"]),
    ];
  });
}

const STANDARD = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/;

function resourceProblems(field: string, resources: Fields): FieldProblem[] {
  const limits = objectIn(resources, "limits");
  const requests = objectIn(resources, "requests");
  return [
    ...Object.keys(limits).flatMap((name) => resourceAmountProblems(`${field}.limits`, name, limits)),
    ...Object.keys(requests).flatMap((name) => [
      ...resourceAmountProblems(`${field}.requests`, name, requests),
      ...excessProblems(`${field}.requests`, name, {
        request: textIn(requests, name),
        limit: textIn(limits, name),
      }),
    ]),
  ];
}

function resourceAmountProblems(field: string, name: string, amounts: Fields): FieldProblem[] {
  const amount = textIn(amounts, name);
  return [
    ...resourceNameProblems(`${field}[${name}]`, name),
    ...(amount.startsWith("-")
      ? [invalidValue(`${field}[${name}]`, amount, "must be greater than or equal to 0")]
      : []),
  ];
}

function resourceNameProblems(field: string, name: string): FieldProblem[] {
  if (STANDARD.test(name)) return [];
  const form = formProblems(field, name, labelKeyProblems);
  if (name.includes("/")) return form;
  return [
    ...(form.length > 0
      ? form
      : [invalidValue(field, name, "must be a standard resource type or fully qualified")]),
    invalidValue(field, name, "must be a standard resource for containers"),
  ];
}

function excessProblems(
  field: string,
  name: string,
  { request, limit }: { readonly request: string; readonly limit: string },
): FieldProblem[] {
  if (limit === "" || request === limit) return [];
  if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
  return [invalidValue(field, request, `must be less than or equal to ${name} limit of ${limit}`)];
}

function lifecycleProblems(at: string, lifecycle: Fields): FieldProblem[] {
  return ["postStart", "preStop"].flatMap((name) =>
    lifecycle[name] ? handlerProblems(`${at}.${name}`, lifecycle[name] as Fields) : [],
  );
}
