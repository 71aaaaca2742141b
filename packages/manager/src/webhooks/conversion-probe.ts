import { defineKind, defineVersion } from "@capstan/api";

const schema = {
  type: "object",
  description: "Nothing: the object is never stored.",
  properties: { text: { type: "string", description: "Any text." } },
} as never;

const unchanged = (object: object): { object: Record<string, unknown>; warnings: readonly string[] } => ({
  object: { ...object },
  warnings: [],
});

/**
 * A kind without objects. `capstan init` installs it for a moment, to learn whether the API server gets answers from our
 * conversion webhook before the kinds of users depend on them.
 */
export const ConversionProbe = defineKind({
  group: "capstan.dev",
  version: "v1",
  kind: "ConversionProbe",
  plural: "conversionprobes",
  scope: "Cluster",
  categories: [],
  description: "Asks whether objects can be converted.",
  spec: schema,
  converted: [
    defineVersion({
      version: "v2",
      spec: schema,
      conversion: { toStored: unchanged, fromStored: unchanged },
    }),
  ],
});
