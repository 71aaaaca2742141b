import { Argument, type Command } from "commander";
import { candidatesOf } from "./completion/candidates.ts";
import { completionScript, type ShellName, SHELLS } from "./completion/scripts.ts";
import type { Shell } from "./shell.ts";

const COMPLETION_HELP = `
Examples:
  source <(capstan completion bash)                                    in ~/.bashrc
  source <(capstan completion zsh)                                     in ~/.zshrc
  capstan completion fish > ~/.config/fish/completions/capstan.fish
`;

/** Adds `capstan completion` and `capstan help`, and makes each usage error name the help of its command. */
export function addHelp(program: Command, shell: Shell): void {
  program
    .command("completion")
    .description("print a script that makes a shell complete commands and flags")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", COMPLETION_HELP)
    .action((name: ShellName) => shell.out.write(completionScript(name)));
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action((words: readonly string[]) => {
      const lines = candidatesOf(program, words).map(({ word, description }) => `${word}\t${description}\n`);
      shell.out.write(lines.join(""));
    });
  program
    .command("help")
    .description("print the help of a command: help rollout status")
    .argument("[command...]", "the words of the command")
    .action((words: readonly string[]) => named(program, words).outputHelp());
  nameHelp(program, "capstan");
}

/** The command of that name; an unknown word ends with an error that suggests one. */
function named(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) {
      const known = command.commands.map((one) => one.name()).filter((name) => !name.startsWith("_"));
      const choices = known.length === 0 ? "it has no subcommands" : `there are ${known.join(", ")}`;
      return program.error(`error: ${pathOf(command)} has no command '${word}': ${choices}`, { exitCode: 2 });
    }
    command = next;
  }
  return command;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function nameHelp(command: Command, path: string): void {
  const text = command.commands.length > 0 ? "lists the commands" : "lists the flags";
  command.showHelpAfterError(`(${path} --help ${text})`);
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`);
}
