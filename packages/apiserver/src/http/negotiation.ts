/** The versions of `meta.k8s.io` that Tables and metadata can be written in. */
export type MetaVersion = "v1" | "v1beta1";

/** How much of each object a Table carries beside its cells. */
export type IncludeObject = "Metadata" | "Object" | "None";

/** What part of an object is shown: all of it, its row in a Table, or its metadata. */
type Form =
  | { readonly type: "object" }
  | { readonly type: "table" | "metadata"; readonly version: MetaVersion };

/** The form of an answer. */
export interface Negotiated {
  readonly form: Form;
  readonly encoding: "json" | "yaml";
}

const ENCODINGS: Readonly<Record<string, "json" | "yaml">> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/*": "json",
  "*/*": "json",
};

const PLAIN: Negotiated = { form: { type: "object" }, encoding: "json" };

/**
 * What an Accept header prefers; undefined if it accepts nothing that is available.
 *
 * The ranges are tried in order of their quality, then in header order. One that is not available, such as a Table in
 * protobuf, is skipped.
 */
export function negotiate(accept: string): Negotiated | undefined {
  // The most frequent header of programs.
  if (accept === "application/json" || accept.trim() === "") return PLAIN;
  const ranges = accept.split(",").map(parseRange);
  for (const { type, parameters } of ranges.sort((a, b) => b.quality - a.quality)) {
    const encoding = ENCODINGS[type];
    const form = encoding && formOf(parameters);
    if (form) return { form, encoding };
  }
  return undefined;
}

/** Whether the header names a media type that is served here, in any form. */
export function namesKnownType(accept: string): boolean {
  return accept.split(",").some((range) => parseRange(range).type in ENCODINGS);
}

function formOf(parameters: ReadonlyMap<string, string>): Form | undefined {
  const as = parameters.get("as");
  if (as === undefined) return PLAIN.form;
  const type = FORMS[as];
  const version = parameters.get("v");
  if (!type || parameters.get("g") !== "meta.k8s.io") return undefined;
  return version === "v1" || version === "v1beta1" ? { type, version } : undefined;
}

const FORMS: Readonly<Record<string, "table" | "metadata">> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadata",
};

/** Parses the query parameter `includeObject`; `problem` has a message if it is invalid. */
export function parseIncludeObject(
  value: string,
): { readonly includeObject: IncludeObject } | { readonly problem: string } {
  if (value === "") return { includeObject: "Metadata" };
  if (value === "Metadata" || value === "Object" || value === "None") return { includeObject: value };
  const problem = `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  return { problem };
}

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function parseRange(range: string): MediaRange {
  const [type = "", ...rest] = range.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at).toLowerCase(), part.slice(at + 1)] as const;
    }),
  );
  const quality = Number(parameters.get("q") ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}
