import { type Convert, type CustomKind, deepFreeze, type JsonObject, newerFirst } from "@capstan/api";
import fc from "fast-check";
import type { RuledVersion } from "../../packages/api/src/conversion/by-rules.ts";
import type { FieldRule } from "../../packages/api/src/conversion/rules.ts";
import { type SpecialFields, valueOf } from "./arbitrary-object.ts";

const GROUP = "infrastructure.example.com";
const reference = fc.record({ name: fc.constantFrom("a", "b"), kind: fc.constant("Thing") });

/** What the schemas do not say about texts. */
const SPECIAL: SpecialFields = [
  [/\.apiGroup$/, fc.constant(GROUP)],
  [/(caBundle|certificateAuthorityData)$/, fc.constant("YQ==")],
  [/\.divisor$/, fc.constant("1")],
  [/bootstrapTokens\[\]\.token$/, fc.constantFrom("abcdef.0123456789abcdef", "fedcba.0123456789abcdef")],
  [/variables(\.overrides)?\[\]\.definitionFrom$/, fc.constant("inline")],
  [/variables(\.overrides)?\[\]\.value$/, fc.constantFrom<unknown>(1, "a", { b: [true] })],
  [
    /status\.v1beta2$/,
    fc.constantFrom(
      {},
      {
        conditions: [
          {
            type: "Ready",
            status: "True",
            reason: "R",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
      { readyReplicas: 1, availableReplicas: 0, upToDateReplicas: 2 },
    ),
  ],
  [
    /(Timeout|Period|timeout|ttl|timeoutForControlPlane)$/,
    fc.constantFrom("0s", "10s", "1h0m0s", "1m30s", "1.5s"),
  ],
  [
    /(infrastructureRef|configRef|controlPlaneRef|remediationTemplate)$/,
    reference.map((one) => ({ ...one, apiVersion: `${GROUP}/v1beta1`, namespace: "default" })),
  ],
];

/** In the newer version references name a group instead of a version. */
const NEWER_SPECIAL: SpecialFields = [
  [/(infrastructureRef|configRef|controlPlaneRef)$/, reference.map((one) => ({ ...one, apiGroup: GROUP }))],
  ...SPECIAL,
];

/** The schemas of one version of a kind. */
export interface Schemas {
  readonly specSchema: object;
  readonly statusSchema: object | undefined;
}

/** The two versions of a kind, and the conversions between them; undefined for a kind with one version. */
export interface Pair {
  readonly older: Schemas;
  readonly newer: Schemas;
  readonly up: Convert;
  readonly down: Convert;
  readonly fieldRules: readonly FieldRule[];
}

/** The versions of a kind by age: either may be the stored one. */
export function pairOf(kind: CustomKind): Pair | undefined {
  const [other] = kind.converted as readonly RuledVersion[];
  if (!other) return undefined;
  const { toStored, fromStored } = other.conversion;
  const { fieldRules } = other;
  return newerFirst(kind.version, other.version) < 0
    ? { older: other, newer: kind, up: toStored, down: fromStored, fieldRules }
    : { older: kind, newer: other, up: fromStored, down: toStored, fieldRules };
}

/** Random objects of a kind in its older or in its newer version. */
export function objectsOf(kind: CustomKind, version: "older" | "newer"): fc.Arbitrary<JsonObject> {
  const special = version === "older" ? SPECIAL : NEWER_SPECIAL;
  const { specSchema, statusSchema }: Schemas = pairOf(kind)?.[version] ?? kind;
  const plain = (schema: object): object => JSON.parse(JSON.stringify(schema)) as object;
  return fc
    .record(
      {
        spec: valueOf(plain(specSchema), "spec", special),
        ...(statusSchema && { status: valueOf(plain(statusSchema), "status", special) }),
        annotations: fc.constantFrom(undefined, { note: "x" }),
      },
      { requiredKeys: ["spec"] },
    )
    .map(({ annotations, ...rest }) =>
      plausible({
        kind: kind.kind,
        metadata: {
          name: "a",
          ...(kind.namespaced && { namespace: "default" }),
          ...(annotations && { annotations }),
        },
        ...rest,
      }),
    );
}

/** The fields that tell the items of some lists apart. */
const KEYS: Readonly<Record<string, string>> = {
  failureDomains: "name",
  extraArgs: "name",
  kubeletExtraArgs: "name",
  extraVolumes: "hostPath",
  files: "path",
  partitions: "device",
};

/**
 * The object with what rules beyond the schema ask for: items with keys of their own, in order, one layout of a disk, and
 * failure domains in a list that say whether they take control plane machines.
 */
function plausible<T>(value: T): T {
  if (Array.isArray(value)) return deepFreeze(value.map(plausible)) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, field]): [string, unknown] => {
      const key = KEYS[name];
      const inner: unknown = plausible(field);
      return [name, key !== undefined && isItems(inner) ? byKey(inner, key) : inner];
    }),
  );
  if (isItems(fields["failureDomains"]))
    fields["failureDomains"] = fields["failureDomains"].map((one) => ({ controlPlane: false, ...one }));
  if (fields["diskLayout"] !== undefined) delete fields["layout"];
  else if (fields["device"] !== undefined && fields["filesystem"] === undefined) fields["layout"] ??= true;
  return deepFreeze(fields) as T;
}

function isItems(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);
}

function byKey(items: readonly Record<string, unknown>[], key: string): unknown[] {
  const sorted = [...new Map(items.map((item) => [String(item[key]), item]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return sorted.map(([, item]) => item);
}
