import { duplicateValue, type FieldProblem, forbiddenValue, requiredValue } from "../../schema/problem.ts";
import { type Fields, objectIn, objectsIn, textIn } from "../fields.ts";
import { labelNameProblems, presence } from "./checks.ts";

/** The required fields of single sources. */
const REQUIRED: Readonly<Record<string, string>> = {
  configMap: "name",
  hostPath: "path",
  persistentVolumeClaim: "claimName",
  secret: "secretName",
  csi: "driver",
};

// kube-apiserver checks the sources in this order, and the first one counts.
const ORDER = ["emptyDir", "hostPath"];

/** Validates the volumes of a pod. */
export function volumeProblems(field: string, spec: Fields): FieldProblem[] {
  const names = new Set<string>();
  return objectsIn(spec, "volumes").flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const name = textIn(volume, "name");
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...sourceProblems(at, volume),
      ...labelNameProblems(`${at}.name`, name),
      ...(isRepeated && name !== "" ? [duplicateValue(`${at}.name`, name)] : []),
    ];
  });
}

function sourceProblems(at: string, volume: Fields): FieldProblem[] {
  const given = Object.keys(volume).filter((name) => name !== "name");
  const sources = [
    ...ORDER.filter((name) => given.includes(name)),
    ...given.filter((name) => !ORDER.includes(name)),
  ];
  if (sources.length === 0) return [requiredValue(at, "must specify a volume type")];
  return sources.flatMap((source, index) => {
    if (index > 0) return [forbiddenValue(`${at}.${source}`, "may not specify more than 1 volume type")];
    const needed = REQUIRED[source];
    return needed === undefined
      ? []
      : presence(`${at}.${source}.${needed}`, objectIn(volume, source)[needed]);
  });
}
