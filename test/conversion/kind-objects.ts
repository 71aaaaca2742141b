import { type CustomKind, deepFreeze, type JsonObject } from "@capstan/api";
import fc from "fast-check";
import { type SpecialFields, valueOf } from "./arbitrary-object.ts";

const GROUP = "infrastructure.example.com";
const reference = fc.record({ name: fc.constantFrom("a", "b"), kind: fc.constant("Thing") });

/** What the schemas do not say about texts. */
const SPECIAL: SpecialFields = [
  [/\.apiGroup$/, fc.constant(GROUP)],
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

/** Random objects of a kind in its older or in its newer version. */
export function objectsOf(kind: CustomKind, version: "older" | "newer"): fc.Arbitrary<JsonObject> {
  const special = version === "older" ? SPECIAL : NEWER_SPECIAL;
  const { specSchema, statusSchema }: Schemas = version === "older" ? kind : (kind.converted[0] ?? kind);
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
      deepFreeze({
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
