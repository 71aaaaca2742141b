import { Argument, Command, Option } from "commander";
import { expect, test } from "vitest";
import { candidatesOf } from "./candidates.ts";

function program(): Command {
  const root = new Command("capstan").option("-V, --version", "the version");
  const rollout = root.command("rollout").description("watch a rollout");
  rollout
    .command("status")
    .description("wait")
    .argument("<pool>")
    .option("-n, --namespace <name>", "namespace")
    .addOption(new Option("-o, --output <form>", "format").choices(["json", "yaml"]));
  root.command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
  root.command("__complete", { hidden: true });
  return root;
}

test.each([
  ["the first word", [""], ["rollout", "completion"]],
  ["the beginning of a word", ["ro"], ["rollout"]],
  ["nothing typed at all", [], ["rollout", "completion"]],
  ["a subcommand", ["rollout", ""], ["status"]],
  ["flags", ["rollout", "status", "--"], ["--namespace", "--output", "--help"]],
  ["the values of a flag", ["rollout", "status", "-o", ""], ["json", "yaml"]],
  ["a flag whose value may be anything", ["rollout", "status", "-n", ""], []],
  ["a name, after a flag with a value", ["rollout", "status", "-n", "x", ""], []],
  ["an argument with choices", ["completion", "z"], ["zsh"]],
  ["a word that is unknown", ["rollaut", "x"], []],
])("completes %s", (_name, words, expected) => {
  expect(candidatesOf(program(), words).map(({ word }) => word)).toEqual(expected);
});
