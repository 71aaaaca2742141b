/** References to objects: the older version names them with their version, the newer one by group and kind alone. */
import { isJsonObject, type JsonObject } from "../values/json-object.ts";
import { fieldPath, type Fields, putField, takeField } from "./field-path.ts";
import type { FieldRule, Pass } from "./rules.ts";

// The version of a kind that no server knows. A read must not fail because of it, and most providers serve it.
const ASSUMED_VERSION = "v1beta1";

/** A reference whose version the newer form leaves out. The namespace is always that of the object. */
export function reference(older: string, newer = older): FieldRule {
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    older: [older],
    newer: [newer],
    up: (pass) => {
      const value = takeField(pass.object, from);
      if (!isJsonObject(value)) return;
      warnOfNamespace(pass, older, value);
      putField(pass.object, to, withoutVersion(value));
    },
    down: (pass) => {
      const value = takeField(pass.object, to);
      if (isJsonObject(value)) putField(pass.object, from, withVersion(pass, newer, value));
    },
  };
}

/** The newer version has no namespace in references: they never leave that of their object. */
function warnOfNamespace({ namespace, warnings }: Pass, field: string, value: JsonObject): void {
  const given = textOf(value["namespace"]);
  if (given === "" || namespace === undefined || given === namespace) return;
  warnings.push(
    `${field}.namespace: ${JSON.stringify(given)} was dropped; the reference is to an object in namespace ${JSON.stringify(namespace)}`,
  );
}

function withoutVersion({ apiVersion, kind, name }: JsonObject): Fields {
  return named({ apiGroup: groupOf(apiVersion), kind, name });
}

function withVersion(pass: Pass, field: string, { apiGroup, kind, name }: JsonObject): Fields {
  const [group, ofKind] = [textOf(apiGroup), textOf(kind)];
  const known = pass.versionOf(group, ofKind);
  const version = known ?? ASSUMED_VERSION;
  if (known === undefined)
    pass.warnings.push(
      `${field}: no CRD serves ${ofKind} of ${group}; its version is assumed to be ${version}`,
    );
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return named({ apiVersion, kind, name, namespace: pass.namespace });
}

/** A reference that keeps its version and loses all but name and kind. */
export function versionedReference(older: string, newer: string): FieldRule {
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    older: [older],
    newer: [newer],
    up: ({ object }) => {
      const value = takeField(object, from);
      if (!isJsonObject(value)) return;
      const { apiVersion, kind, name } = value;
      putField(object, to, named({ apiVersion, kind, name }));
    },
    down: ({ object, namespace }) => {
      const value = takeField(object, to);
      if (isJsonObject(value)) putField(object, from, named({ ...value, namespace }));
    },
  };
}

/** The node of a machine, of which the newer version has the name alone. */
export function nodeReference(path: string): FieldRule {
  const place = fieldPath(path);
  return {
    older: [path],
    newer: [path],
    up: ({ object }) => {
      const value = takeField(object, place);
      if (isJsonObject(value)) putField(object, place, named({ name: value["name"] }));
    },
    down: ({ object }) => {
      const value = takeField(object, place);
      if (isJsonObject(value))
        putField(object, place, named({ apiVersion: "v1", kind: "Node", name: value["name"] }));
    },
  };
}

function groupOf(apiVersion: unknown): string {
  const parts = textOf(apiVersion).split("/");
  return parts.length === 2 ? (parts[0] ?? "") : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The fields that are set. */
function named(fields: JsonObject): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  );
}
