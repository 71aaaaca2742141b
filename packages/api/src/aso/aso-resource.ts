/** The fields that all kinds of Azure Service Operator have in common; everything else in them is preserved. */
import type { CustomKind, CustomObject } from "../kind.ts";
import { defineKind } from "../kind.ts";
import { readyColumn } from "../printer-columns.ts";
import {
  type Static,
  anyValue,
  long,
  listMap,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../schema/schema.ts";

/** How a resource refers to the one that contains it. */
const Owner = object(
  "The resource that contains this one: an object in the same namespace, or an ARM id.",
  {
    name: optional(string("The name of the object.")),
    armId: optional(string("The ARM id.")),
  },
  { preserveUnknown: true },
);

/** A condition in the form of Azure Service Operator: with severity and generation. */
export const AsoCondition = object("A condition of the resource.", {
  type: string("The type of the condition, in CamelCase."),
  status: oneOf("The status of the condition.", ["True", "False", "Unknown"]),
  severity: optional(string("The severity of a False: Error, Warning or Info.")),
  reason: string("The reason, in CamelCase."),
  message: optional(string("The reason, for people.")),
  observedGeneration: optional(long("The generation of the spec that this refers to.")),
  lastTransitionTime: timestamp("When the status last changed."),
});

/** A condition in the shape of Azure Service Operator. */
export type AsoCondition = Static<typeof AsoCondition>;

const COMMON_FIELDS = {
  azureName: optional(string("The name in Azure; default: the name of the object.")),
  owner: optional(Owner),
};
const SPEC = "The desired state of the Azure resource.";
const Spec = object(SPEC, COMMON_FIELDS, { preserveUnknown: true });

/** A spec that has only the named fields; their values are preserved. */
function specWith(fields: readonly string[], required: readonly string[]): typeof Spec {
  const value = anyValue("As in Azure Service Operator.");
  const values = fields.map((name) => [name, required.includes(name) ? value : optional(value)] as const);
  return object(SPEC, { ...Object.fromEntries(values), ...COMMON_FIELDS });
}

const Status = object(
  "The observed state of the Azure resource.",
  {
    conditions: optional(listMap("The conditions of the resource.", AsoCondition, { keys: ["type"] })),
  },
  { preserveUnknown: true },
);

/** An object of Azure Service Operator: few fields are typed, all are kept. */
export type AsoObject = CustomObject<
  Static<typeof Spec> & Record<string, unknown>,
  Static<typeof Status> & Record<string, unknown>
>;

/** Defines a kind of Azure Service Operator. */
export function defineAsoKind(names: {
  readonly service: "resources" | "network" | "containerservice";
  readonly version: string;
  readonly alsoServed?: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  /** The names of the fields of the spec; any name unless given. */
  readonly fields?: readonly string[];
  /** Those without which the server refuses an object. */
  readonly required?: readonly string[];
}): CustomKind<AsoObject> {
  const { service, fields, required = [], ...rest } = names;
  return defineKind({
    ...rest,
    group: `${service}.azure.com`,
    categories: ["azure", service],
    spec: fields ? specWith(fields, required) : Spec,
    status: Status,
    columns: [readyColumn("Ready"), readyColumn("Severity"), readyColumn("Reason"), readyColumn("Message")],
    applyDefaults: ({ spec, metadata }) => {
      spec.azureName ||= metadata.name;
    },
  });
}
