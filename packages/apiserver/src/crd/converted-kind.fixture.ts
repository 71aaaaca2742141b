import { deepCopy, defineKind, defineVersion, type JsonObject } from "@capstan/api";

type Fields = Record<string, unknown>;

const text = { type: "string", description: "A text." };
const whole = { type: "integer", description: "A number." };
const fields = (properties: Readonly<Record<string, object>>, rest: object = {}): object => ({
  type: "object",
  description: "Fields.",
  properties,
  ...rest,
});

const list = {
  type: "array",
  description: "Items by name.",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: fields({ name: text, load: text }, { required: ["name"] }),
};

/**
 * v1 has `size` and a secret that v2 lacks; v2 has `dimensions.size`, a required `color` instead of `paint`, and a `weight` with a
 * unit instead of `grams`.
 */
function toV2(object: JsonObject): Fields {
  const copy = deepCopy(object) as Fields;
  const { size, paint, grams, secret: _, ...spec } = (copy["spec"] ?? {}) as Fields;
  const { ready, ...status } = (copy["status"] ?? {}) as Fields;
  if (copy["spec"])
    copy["spec"] = {
      ...spec,
      ...(size !== undefined && { dimensions: { size } }),
      ...(paint !== undefined && { color: paint }),
      ...(grams !== undefined && { weight: `${Number(grams)}g` }),
    };
  if (copy["status"]) copy["status"] = { ...status, ...(ready !== undefined && { isReady: ready }) };
  return copy;
}

function toV1(object: JsonObject): Fields {
  const copy = deepCopy(object) as Fields;
  const { dimensions = {}, color, weight, ...spec } = (copy["spec"] ?? {}) as Fields;
  const { isReady, ...status } = (copy["status"] ?? {}) as Fields;
  if (copy["spec"])
    copy["spec"] = {
      ...spec,
      ...(dimensions as object),
      ...(color !== undefined && { paint: color }),
      ...(typeof weight === "string" && { grams: gramsOf(weight) }),
    };
  if (copy["status"]) copy["status"] = { ...status, ...(isReady !== undefined && { ready: isReady }) };
  return copy;
}

/** "2kg" and "2000g" are the same weight, as "5m" and "5m0s" are the same time. */
function gramsOf(weight: string): number {
  return Number.parseInt(weight, 10) * (weight.endsWith("kg") ? 1000 : 1);
}

const v1Spec = fields({ size: whole, paint: text, grams: whole, secret: text, replicas: whole, boxes: list });
const v2Spec = fields(
  {
    dimensions: fields({ size: { ...whole, minimum: 1 } }),
    color: text,
    weight: text,
    replicas: whole,
    boxes: list,
  },
  { required: ["color"] },
);

const definition = {
  group: "test.x-k8s.io",
  version: "v1",
  kind: "Crate",
  plural: "crates",
  description: "A crate.",
  spec: v1Spec as never,
  status: fields({ ready: { type: "boolean", description: "Ready." }, replicas: whole }),
  columns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  converted: [
    defineVersion({
      version: "v2",
      spec: v2Spec,
      status: fields({ isReady: { type: "boolean", description: "Ready." }, replicas: whole }),
      columns: [{ name: "Dimension", type: "integer", jsonPath: ".spec.dimensions.size" }],
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      conversion: {
        toStored: (object) => ({ object: toV1(object), warnings: [] }),
        fromStored: (object) => ({ object: toV2(object), warnings: [] }),
      },
    }),
  ],
} as const;

/** A kind of two versions that differ; v1 is stored. It has no defaults and rules, which another server would lack. */
export const PlainCrate = defineKind(definition);

/** The same kind with defaults and a rule. */
export const Crate = defineKind({
  ...definition,
  applyDefaults: (draft) => {
    const { spec } = draft as unknown as { spec: Fields };
    spec["paint"] ??= "grey";
    spec["size"] ??= 3;
  },
  validate: ({ object }) => {
    const { paint } = (object as unknown as { spec: Fields }).spec;
    return paint === "pink"
      ? [{ type: "FieldValueInvalid", field: "spec.paint", message: 'Invalid value: "pink": not pink' }]
      : [];
  },
});
