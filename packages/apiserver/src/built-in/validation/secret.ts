import { type FieldProblem, invalidValue, requiredValue, tooLong } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, textIn } from "../fields.ts";
import { jsonSyntaxProblem } from "../../http/json-syntax.ts";
import { changeProblems, fixedProblems, formProblems } from "./checks.ts";
import { DATA_LIMIT_BYTES, dataKeyProblems, decodedBytes } from "./config-map.ts";

/** Validates a Secret. */
export function secretProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const data = objectIn(draft, "data");
  return [
    ...(old ? changeProblems("type", draft["type"], old["type"]) : []),
    ...fixedProblems(draft, old, ["data"]),
    ...Object.keys(data).flatMap((key) => formProblems(`data[${key}]`, key, dataKeyProblems)),
    ...(decodedBytes(data) > DATA_LIMIT_BYTES ? [tooLong("data", DATA_LIMIT_BYTES)] : []),
    ...(TYPES[textIn(draft, "type")]?.(data, draft) ?? []),
  ];
}

const ACCOUNT = "kubernetes.io/service-account.name";

/** The required keys of secrets of the types that Kubernetes knows. */
const TYPES: Readonly<Record<string, (data: Fields, draft: Draft) => FieldProblem[]>> = {
  "kubernetes.io/service-account-token": (_, { metadata }) =>
    metadata.annotations?.[ACCOUNT] ? [] : [requiredValue(`metadata.annotations[${ACCOUNT}]`)],
  "kubernetes.io/dockercfg": (data) => jsonKeyProblems(data, ".dockercfg"),
  "kubernetes.io/dockerconfigjson": (data) => jsonKeyProblems(data, ".dockerconfigjson"),
  "kubernetes.io/basic-auth": (data) =>
    // One of the two is enough.
    Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
      ? []
      : missingKeys(data, ["username", "password"]),
  "kubernetes.io/ssh-auth": (data) => (data["ssh-privatekey"] ? [] : [requiredValue("data[ssh-privatekey]")]),
  "kubernetes.io/tls": (data) => missingKeys(data, ["tls.crt", "tls.key"]),
};

function missingKeys(data: Fields, keys: readonly string[]): FieldProblem[] {
  return keys.filter((key) => !Object.hasOwn(data, key)).map((key) => requiredValue(`data[${key}]`));
}

function jsonKeyProblems(data: Fields, key: string): FieldProblem[] {
  if (data[key] === undefined) return [requiredValue(`data[${key}]`)];
  const problem = jsonProblem(Buffer.from(textIn(data, key), "base64").toString());
  return problem === undefined ? [] : [invalidValue(`data[${key}]`, "<secret contents redacted>", problem)];
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return jsonSyntaxProblem(text);
  }
}
