import { invalidParameter } from "../arm/errors.ts";
import type { FaultEffect, FaultMatch, FaultRule } from "../faults/fault.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../json.ts";
import type { Prohibition } from "../policies/policies.ts";

type Kind = FaultEffect["kind"];

/** The required fields of each kind of fault. */
const NEEDED: Readonly<Record<Kind, Readonly<Record<string, "string" | "number">>>> = {
  status: { status: "number", code: "string" },
  delay: { ms: "number" },
  drop: {},
  lostResponse: {},
  operationFails: { code: "string" },
  failedButApplied: { code: "string" },
  someInstancesFail: { share: "number", code: "string" },
};

const MATCH_FIELDS: Readonly<Record<keyof FaultMatch, "string" | "number">> = {
  method: "string",
  path: "string",
  resource: "string",
  operation: "string",
  nth: "number",
  times: "number",
  probability: "number",
};

/** Parses a fault rule from the body of a request. */
export function parseFault(body: JsonObject): FaultRule {
  const id = textAt(body, "id");
  if (id === undefined) throw invalidParameter("id", "id is missing; it needs a name for the fault.");
  const effect = objectAt(body, "effect");
  const kind = textAt(effect, "kind") ?? "";
  if (!(kind in NEEDED)) {
    throw invalidParameter(
      "effect.kind",
      `effect.kind is '${kind}'; it is one of ${Object.keys(NEEDED).join(", ")}.`,
    );
  }
  checkFields("effect", effect, { types: NEEDED[kind as Kind], areRequired: true });
  const match = objectAt(body, "match");
  const unknown = Object.keys(match).find((field) => !(field in MATCH_FIELDS));
  if (unknown !== undefined) {
    throw invalidParameter(
      `match.${unknown}`,
      `match has no field '${unknown}'; it has ${Object.keys(MATCH_FIELDS).join(", ")}.`,
    );
  }
  checkFields("match", match, { types: MATCH_FIELDS, areRequired: false });
  return { id, match, effect: effect as FaultEffect };
}

function checkFields(
  name: string,
  given: JsonObject,
  { types, areRequired }: { readonly types: Readonly<Record<string, string>>; readonly areRequired: boolean },
): void {
  for (const [field, type] of Object.entries(types)) {
    const value = valueAt(given, field);
    const isFine = typeof value === type || (value === undefined && !areRequired);
    if (!isFine)
      throw invalidParameter(
        `${name}.${field}`,
        `${name}.${field} is ${JSON.stringify(value)}; it needs a ${type}.`,
      );
  }
}

const KINDS = ["CanNotDelete", "ReadOnly", "DenyByPolicy"];

/** Parses a lock or a policy from the body of a request. */
export function parseProhibition(body: JsonObject): Prohibition {
  const [name, scope, kind, type] = ["name", "scope", "kind", "type"].map((field) => textAt(body, field));
  if (name === undefined)
    throw invalidParameter("name", "name is missing; it needs a name for the prohibition.");
  if (scope === undefined)
    throw invalidParameter(
      "scope",
      "scope is missing; it needs the id of a subscription, group or resource.",
    );
  if (kind === undefined || !KINDS.includes(kind)) {
    throw invalidParameter("kind", `kind is '${kind}'; it is one of ${KINDS.join(", ")}.`);
  }
  return { name, scope, kind: kind as Prohibition["kind"], ...(type !== undefined && { type }) };
}
