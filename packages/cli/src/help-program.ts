import { Argument, type Command } from "commander";
import { accessOf } from "./cluster-program.ts";
import { candidatesOf, namingCommand } from "./completion/candidates.ts";
import { completionScript, type ShellName, SHELLS } from "./completion/scripts.ts";
import type { Shell } from "./shell.ts";

const COMPLETION_HELP = `
The shell must find capstan; in a clone of the repository, put this into the same file, in front:
  export PATH=/folder/of/the/clone/node_modules/.bin:$PATH

Examples:
  source <(capstan completion bash)                                    in ~/.bashrc
  source <(capstan completion zsh)                                     in ~/.zshrc
  capstan completion fish > ~/.config/fish/completions/capstan.fish
`;

/** Adds `capstan completion` and `capstan help`, and makes each usage error name the help of its command. */
export function addHelp(program: Command, shell: Shell): void {
  program
    .command("completion")
    .description("print a script that makes a shell complete commands, flags and names of objects")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", COMPLETION_HELP)
    .action((name: ShellName) => shell.out.write(completionScript(name)));
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: readonly string[]) => {
      const lines = candidatesOf(program, words).map(({ word, description }) => `${word}\t${description}\n`);
      const names = await namesFor(program, shell, words);
      shell.out.write([...lines, ...names.map((name) => `${name}\t\n`)].join(""));
    });
  program
    .command("help")
    .description("print the help of a command: help rollout status")
    .argument("[command...]", "the words of the command")
    .action((words: readonly string[]) => named(program, words).outputHelp());
  nameHelp(program, "capstan");
}

/** The names of objects that complete the last word. */
async function namesFor(
  program: Command,
  shell: Shell,
  words: readonly string[],
): Promise<readonly string[]> {
  const naming = namingCommand(program, words);
  if (!naming) return [];
  const { objectNames } = await import("./completion/object-names.ts");
  const access = accessOf(shell, naming.command.opts());
  const names = await objectNames(shell, naming.path, access);
  return names.filter((name) => name.startsWith(words.at(-1) ?? ""));
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
