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

/** The command that the words name, and the option that still waits for its value. */
function commandAt(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly pending: Option | undefined } {
  let command = program;
  let pending: Option | undefined;
  for (const word of words) {
    const option = command.options.find((one) => one.short === word || one.long === word);
    if (pending) pending = undefined;
    else if (option?.required === true) pending = option;
    else command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return { command, pending };
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
