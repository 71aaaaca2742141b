import { dns1123LabelProblems } from "@capstan/api";
import { duplicateValue, type FieldProblem, invalidValue, requiredValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, numberIn, objectIn, objectsIn, textIn } from "../fields.ts";
import {
  choiceProblems,
  formProblems,
  labelProblems,
  objectNameProblems,
  portOrNameProblems,
  portProblems,
} from "./checks.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/** Validates a Service. */
export function serviceProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const ports = objectsIn(spec, "ports");
  return [
    ...(ports.length === 0 && needsPorts(spec) ? [requiredValue("spec.ports")] : []),
    ...servicePortProblems(ports),
    ...labelProblems("spec.selector", objectIn(spec, "selector")),
    ...choiceProblems("spec.sessionAffinity", textIn(spec, "sessionAffinity"), ["ClientIP", "None"]),
    ...choiceProblems("spec.type", textIn(spec, "type"), TYPES),
    ...externalNameProblems(spec),
    ...(old ? addressProblems(spec, objectIn(old, "spec")) : []),
  ];
}

function needsPorts(spec: Fields): boolean {
  return spec["clusterIP"] !== "None" && spec["type"] !== "ExternalName";
}

function externalNameProblems(spec: Fields): FieldProblem[] {
  if (spec["type"] !== "ExternalName") return [];
  const name = textIn(spec, "externalName").replace(/\.$/, "");
  return name === "" ? [requiredValue("spec.externalName")] : objectNameProblems("spec.externalName", name);
}

function servicePortProblems(ports: readonly Fields[]): FieldProblem[] {
  const [names, uses] = [new Set<string>(), new Set<string>()];
  const repeated: FieldProblem[] = [];
  const problems = ports.flatMap((port, index) => {
    const use = `${textIn(port, "protocol")} ${numberIn(port, "port")}`;
    if (uses.has(use)) repeated.push(repeatedPort(`spec.ports[${index}]`, port));
    uses.add(use);
    return [
      ...portNameProblems(`spec.ports[${index}].name`, textIn(port, "name"), {
        names,
        isAlone: ports.length === 1,
      }),
      ...portProblems(`spec.ports[${index}].port`, numberIn(port, "port")),
      ...choiceProblems(`spec.ports[${index}].protocol`, port["protocol"], ["SCTP", "TCP", "UDP"]),
      ...portOrNameProblems(`spec.ports[${index}].targetPort`, port["targetPort"]),
    ];
  });
  return [...problems, ...repeated];
}

/** A single port needs no name. */
function portNameProblems(
  field: string,
  name: string,
  { names, isAlone }: { readonly names: Set<string>; readonly isAlone: boolean },
): FieldProblem[] {
  if (name === "") return isAlone ? [] : [requiredValue(field)];
  const isRepeated = names.has(name);
  names.add(name);
  return [
    ...formProblems(field, name, dns1123LabelProblems),
    ...(isRepeated ? [duplicateValue(field, name)] : []),
  ];
}

function repeatedPort(field: string, port: Fields): FieldProblem {
  const shown = {
    Name: "",
    Protocol: textIn(port, "protocol"),
    AppProtocol: null,
    Port: numberIn(port, "port"),
    TargetPort: 0,
    NodePort: 0,
  };
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${JSON.stringify(shown)}` };
}

/** An address is immutable, as long as the service has a type with an address. */
function addressProblems(spec: Fields, old: Fields): FieldProblem[] {
  if (spec["type"] === "ExternalName" || old["type"] === "ExternalName") return [];
  const [before] = (old["clusterIPs"] ?? []) as readonly string[];
  const addresses = (spec["clusterIPs"] ?? []) as readonly string[];
  if (before === undefined || before === addresses[0]) return [];
  return [invalidValue("spec.clusterIPs[0]", addresses, "may not change once set")];
}
