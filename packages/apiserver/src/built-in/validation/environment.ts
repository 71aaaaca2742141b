import { notFound } from "@capstan/api";
import { type FieldProblem, invalidValue, requiredValue } from "../../schema/problem.ts";
import { type Fields, textIn } from "../fields.ts";
import { presence } from "./checks.ts";

const VARIABLE_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const VALUE_SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

/** Validates the variables of a container. */
export function environmentProblems(field: string, variables: readonly Fields[]): FieldProblem[] {
  return variables.flatMap((variable, index) => [
    ...nameProblems(`${field}[${index}].name`, textIn(variable, "name")),
    ...valueProblems(`${field}[${index}].valueFrom`, variable),
  ]);
}

function nameProblems(field: string, name: string): FieldProblem[] {
  if (name === "") return [requiredValue(field)];
  return /^[ -<>-~]+$/.test(name) ? [] : [invalidValue(field, name, VARIABLE_RULE)];
}

function valueProblems(field: string, { value, valueFrom }: Fields): FieldProblem[] {
  if (valueFrom === undefined) return [];
  const count = VALUE_SOURCES.filter((name) => (valueFrom as Fields)[name] !== undefined).length;
  if (count === 0) {
    const listed = VALUE_SOURCES.map((name) => `\`${name}\``);
    const names = `${listed.slice(0, -1).join(", ")} or ${listed.at(-1)}`;
    return [invalidValue(field, "", `must specify one of: ${names}`)];
  }
  return [
    ...(value === undefined
      ? []
      : [invalidValue(field, "", "may not be specified when `value` is not empty")]),
    ...(count > 1 ? [invalidValue(field, "", "may not have more than one field specified at a time")] : []),
  ];
}

/** Validates where more variables of a container come from. */
export function sourceProblems(field: string, sources: readonly Fields[]): FieldProblem[] {
  return sources.flatMap((source, index) => {
    const given = ["configMapRef", "secretRef"].filter((name) => source[name] !== undefined);
    if (given.length === 0)
      return [invalidValue(field, "", "must specify one of: `configMapRef` or `secretRef`")];
    return [
      ...given.flatMap((name) =>
        presence(`${field}[${index}].${name}.name`, (source[name] as Fields)["name"]),
      ),
      ...(given.length > 1
        ? [invalidValue(field, "", "may not have more than one field specified at a time")]
        : []),
    ];
  });
}

/** Validates where a container sees its volumes. */
export function mountProblems(
  field: string,
  mounts: readonly Fields[],
  volumes: ReadonlySet<string>,
): FieldProblem[] {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const [name, path, folder] = [
      textIn(mount, "name"),
      textIn(mount, "mountPath"),
      textIn(mount, "subPath"),
    ];
    const isRepeated = paths.has(path);
    paths.add(path);
    return [
      ...presence(`${at}.name`, name),
      ...(volumes.has(name) ? [] : [notFound(`${at}.name`, name)]),
      ...presence(`${at}.mountPath`, path),
      ...(isRepeated ? [invalidValue(`${at}.mountPath`, path, "must be unique")] : []),
      ...folderProblems(`${field}.subPath`, folder),
    ];
  });
}

function folderProblems(field: string, folder: string): FieldProblem[] {
  if (folder.startsWith("/")) return [invalidValue(field, folder, "must be a relative path")];
  return folder.split("/").includes("..") ? [invalidValue(field, folder, "must not contain '..'")] : [];
}
