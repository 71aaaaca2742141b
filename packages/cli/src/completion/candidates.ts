import type { Command, Option } from "commander";

/** A word that may come next on a command line. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/**
 * The words that may complete the last of `words`, which may be empty. None where a name or a file is expected: the shell
 * then completes files.
 */
export function candidatesOf(program: Command, words: readonly string[]): readonly Candidate[] {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, pending } = commandAt(program, before);
  return optionsOrWords(command, pending, last).filter(({ word }) => word.startsWith(last));
}

function optionsOrWords(command: Command, pending: Option | undefined, last: string): readonly Candidate[] {
  if (pending) return choicesOf(pending);
  if (last.startsWith("-")) return flagsOf(command);
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  return [...commandsOf(command), ...choices.map((word) => ({ word, description: "" }))];
}

/** A command whose next word is a name, and the words of its flags; undefined if the next word is something else. */
export function namingCommand(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly path: string } | undefined {
  const before = words.slice(0, -1);
  const { command, pending, operands } = commandAt(program, before);
  const isName = pending === undefined && words.at(-1)?.startsWith("-") !== true;
  if (!isName || operands > 0 || command.registeredArguments.length === 0) return undefined;
  command.parseOptions([...before]);
  return { command, path: pathOf(command) };
}

/** The words of a command, without that of the program. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
}

/** The command that the words name, and the option that still waits for its value. */
function commandAt(
  program: Command,
  words: readonly string[],
): {
  readonly command: Command;
  readonly pending: Option | undefined;
  /** The words that are neither commands nor flags. */
  readonly operands: number;
} {
  let command = program;
  let pending: Option | undefined;
  let operands = 0;
  for (const word of words) {
    const option = command.options.find((one) => one.short === word || one.long === word);
    const next = command.commands.find((one) => one.name() === word);
    if (pending) pending = undefined;
    else if (option?.required === true) pending = option;
    else if (next) command = next;
    else if (!word.startsWith("-")) operands++;
  }
  return { command, pending, operands };
}

function commandsOf({ commands }: Command): readonly Candidate[] {
  return commands
    .filter((one) => !isHidden(one))
    .map((one) => ({ word: one.name(), description: one.description() }));
}

/** Commands for programs begin with an underscore. */
function isHidden(command: Command): boolean {
  return command.name().startsWith("_");
}

function flagsOf({ options }: Command): readonly Candidate[] {
  return [
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? "", description })),
    { word: "--help", description: "display help for command" },
  ];
}

function choicesOf({ argChoices = [] }: Option): readonly Candidate[] {
  return argChoices.map((word) => ({ word, description: "" }));
}
