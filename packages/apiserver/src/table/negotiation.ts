/** The versions of `meta.k8s.io` that a Table can be written in. */
export type TableVersion = "v1" | "v1beta1";

/** How much of each object a Table carries beside its cells. */
export type IncludeObject = "Metadata" | "Object" | "None";

const JSON_RANGES: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/**
 * The version of the Table that an Accept header prefers to the plain object; undefined when it wants the object.
 *
 * The ranges are tried in order of their quality, then as they stand. One that asks for something
 * that is not served here, such as a Table in protobuf, is passed over for the next.
 */
export function wantedTable(accept: string): TableVersion | undefined {
  const ranges = accept.split(",").map(parseRange);
  for (const { type, parameters } of ranges.sort((a, b) => b.quality - a.quality)) {
    if (!JSON_RANGES.has(type)) continue;
    const as = parameters.get("as");
    if (as === undefined) return undefined;
    const version = parameters.get("v");
    if (as !== "Table" || parameters.get("g") !== "meta.k8s.io") continue;
    if (version === "v1" || version === "v1beta1") return version;
  }
  return undefined;
}

/** What the query parameter `includeObject` asks for; a sentence in `problem` when it asks for nothing known. */
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
