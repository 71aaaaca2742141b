import type { FieldProblem } from "../../schema/problem.ts";
import { invalidValue, tooLong } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn } from "../fields.ts";
import { fixedProblems, formProblems } from "./checks.ts";

/** The limit for all data of a ConfigMap or a Secret together. */
export const DATA_LIMIT_BYTES = 1024 * 1024;

const LONGEST_KEY = 253;
const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Validates a key, which is also the name of a file. */
export function dataKeyProblems(key: string): string[] {
  return [
    ...(key.length > LONGEST_KEY ? [`must be no more than ${LONGEST_KEY} characters`] : []),
    ...(/^[-._a-zA-Z0-9]+$/.test(key) ? [] : [KEY_RULE]),
    ...dotProblems(key),
  ];
}

function dotProblems(key: string): string[] {
  if (key === "." || key === "..") return [`must not be '${key}'`];
  return key.startsWith("..") ? ["must not start with '..'"] : [];
}

/** Validates a ConfigMap. */
export function configMapProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const data = objectIn(draft, "data");
  const binaryData = objectIn(draft, "binaryData");
  const size = textBytes(data) + decodedBytes(binaryData);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...formProblems(`data[${key}]`, key, dataKeyProblems),
      ...(Object.hasOwn(binaryData, key)
        ? [invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")]
        : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) => formProblems(`binaryData[${key}]`, key, dataKeyProblems)),
    ...(size > DATA_LIMIT_BYTES ? [tooLong("[]", DATA_LIMIT_BYTES)] : []),
    ...fixedProblems(draft, old, ["data", "binaryData"]),
  ];
}

function textBytes(data: Fields): number {
  return Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0);
}

/** The number of bytes that the base64 texts encode. */
export function decodedBytes(data: Fields): number {
  return Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(String(value), "base64"),
    0,
  );
}
