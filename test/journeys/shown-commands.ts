/** The commands and outputs that pages of the documentation show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the repository, in which a reader stands. */
export const REPOSITORY = join(import.meta.dirname, "../..");

/** The pages whose commands a reader types, by their paths in the repository. */
export function pages(): readonly string[] {
  const howTos = readdirSync(join(REPOSITORY, "docs/how-to")).map((name) => `docs/how-to/${name}`);
  const others = ["tutorial", "guests", "scenarios", "azure-sim"].map((name) => `docs/${name}.md`);
  return ["README.md", "examples/README.md", ...others, ...howTos];
}

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(REPOSITORY, page), "utf8");
}

/** A block of a page: commands to type, what they print, or an illustration. */
export interface Block {
  readonly kind: "commands" | "output" | "illustration";
  readonly text: string;
  /** Of its first line, in the page. */
  readonly line: number;
  /** The word after the fence: journeys run the commands of blocks that are marked `sh`. */
  readonly language: string;
}

const PROGRAMS = "npm|npx|printf|kubectl|capstan|clusterctl|node|podman|openssl|export|mkdir|cp|sed|cd";
const COMMAND = new RegExp(String.raw`^(?:[A-Z_]+=\S* )*(?:CLONE/\S*/)?(?:${PROGRAMS}|NODE|MACHINE)\b`);

/**
 * The blocks of a page: commands are marked `sh` or begin with a program, illustrations are marked `text`, and what is not marked
 * is an output.
 */
export function blocksOf(page: string): readonly Block[] {
  const text = readPage(page);
  const fenced = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
  return fenced.flatMap<Block>(({ 1: language = "", 2: body = "", index }) => {
    const kind = kindOf(language, body);
    // The fence is on a line of its own, and line numbers begin with 1.
    const line = text.slice(0, index).split("\n").length + 1;
    return kind === undefined ? [] : [{ kind, text: body, line, language }];
  });
}

function kindOf(language: string, body: string): Block["kind"] | undefined {
  if (language === "sh" || (language === "" && COMMAND.test(body))) return "commands";
  if (language === "text") return "illustration";
  return language === "" ? "output" : undefined;
}

/** A command as words, without its place in a pipeline. */
export type Words = readonly string[];

/** The commands in a block of shell, as far as this reads shell: no comments, no assignments, no control words. */
export function commandsIn(block: string): readonly Words[] {
  const lines = block
    .replaceAll(/\\\n\s*/g, " ")
    .replaceAll(/\$\(([^()]*)\)/g, (_, inner: string) => `\n${inner}\n`);
  return lines.split("\n").flatMap((line) => pipelineOf(line));
}

const WORD = /'[^']*'|"[^"]*"|[^\s'"|;&]+(?:'[^']*'|"[^"]*"|[^\s'"|;&]+)*|\|\||&&|[|;&]/g;
const SEPARATORS = new Set(["|", "||", "&&", ";", "&"]);

function pipelineOf(line: string): readonly Words[] {
  const words = (line.replace(/(^|\s)#.*$/, "").match(WORD) ?? []).map(unquoted);
  const commands: string[][] = [[]];
  for (const word of words) {
    if (SEPARATORS.has(word)) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.map((command) => command.filter((word, index) => !isAssignment(command, word, index)));
}

function unquoted(word: string): string {
  return /^(['"]).*\1$/.test(word) ? word.slice(1, -1) : word;
}

/** A variable that is set before the command. */
function isAssignment(command: readonly string[], word: string, index: number): boolean {
  return /^[A-Z_]+=/.test(word) && command.slice(0, index).every((one) => /^[A-Z_]+=/.test(one));
}

/** The words before a redirection, and the file that it writes. */
export function redirectionIn(words: Words): { readonly words: Words; readonly file?: string } {
  const at = words.findIndex((word) => word === ">" || word === "<");
  const file = at >= 0 && words[at] === ">" ? words[at + 1] : undefined;
  return { words: at < 0 ? words : words.slice(0, at), ...(file !== undefined && { file }) };
}
