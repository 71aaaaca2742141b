import { readFileSync } from "node:fs";
import { LAYERS } from "../test/architecture/layers.ts";

const BEGIN = "<!-- generated from test/architecture/layers.ts by npm run generate -->";
const END = "<!-- end of generated part -->";

/** The document with its table of layers regenerated; everything outside the markers is kept. */
export function architectureDocument(path: string): [string, string] {
  const text = readFileSync(path, "utf8");
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${path} has lost its markers; it needs the lines ${BEGIN} and ${END}`);
  }
  const rows = LAYERS.map(
    ({ name, about, mayImport, reason }) =>
      `| \`${name}\` | ${about} | ${mayImport.map((other) => `\`${other}\``).join(", ") || "nothing"} | ${reason} |`,
  );
  const table = ["| package | what it is | may import | because |", "|---|---|---|---|", ...rows].join("\n");
  return [path, `${before}${BEGIN}\n${table}\n${END}${after}`];
}
