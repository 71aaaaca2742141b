/** Draws what a terminal shows as an SVG. */

/** The commands of README.md's tour, apart from those that only set a variable. */
export function tourOf(readme: string): readonly string[] {
  const [, block = ""] = /In a second terminal[^`]*```sh\n([^`]*)```/.exec(readme) ?? [];
  return block.split("\n").filter((line) => line !== "" && !line.startsWith("export "));
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
}

const CHARACTER_PX = 7.8;
const LINE_PX = 18;
const MARGIN_PX = 16;

/** The classes of the picture, by the number of the escape sequence that begins them. */
const STYLES: Readonly<Record<string, string>> = {
  "1": "strong",
  "2": "faint",
  "31": "bad",
  "32": "good",
  "33": "warn",
};

const STYLE_SHEET = [
  "text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d5dbe3; white-space: pre; }",
  ".strong { font-weight: bold; fill: #ffffff; }",
  ".faint { fill: #8b949e; }",
  ".good { fill: #5fd787; }",
  ".warn { fill: #ffc861; }",
  ".bad { fill: #ff8080; }",
].join("\n");

// oxlint-disable-next-line no-control-regex -- a colour begins with the escape character
const COLOUR = /\u001B\[(\d*)m/;

/** The picture of a terminal after it has printed a text with colours. */
export function terminalPicture(printed: string, { columns }: TerminalSize): string {
  const lines = printed.replaceAll("\r", "").trimEnd().split("\n");
  const width = Math.ceil(columns * CHARACTER_PX + 2 * MARGIN_PX);
  const height = lines.length * LINE_PX + 2 * MARGIN_PX;
  const rows = lines.map((line, index) => rowOf(line, MARGIN_PX + (index + 0.75) * LINE_PX));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    "<title>A terminal: what the commands of this page print</title>",
    `<style>\n${STYLE_SHEET}\n</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#10151c"/>`,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

function rowOf(line: string, y: number): string {
  // The pieces between colours are at even places, the numbers of colours at odd ones.
  const parts = line.split(COLOUR);
  const pieces = parts.flatMap((text, index) => (index % 2 === 0 ? [pieceOf(text, parts[index - 1])] : []));
  return `<text x="${MARGIN_PX}" y="${y}" xml:space="preserve">${pieces.join("")}</text>`;
}

function pieceOf(text: string, colour = ""): string {
  const name = STYLES[colour];
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return name === undefined || text === "" ? escaped : `<tspan class="${name}">${escaped}</tspan>`;
}
