import type { Command } from "commander";
import type { InitOptions } from "./commands/init.ts";
import type { CarryOut } from "./flags.ts";
import { DEFAULT_IMAGE } from "./manifest.ts";
import type { Shell } from "./shell.ts";

const EXAMPLES = `
Examples:
  capstan init                                   on the cluster of the current context; again to bring it up to date
  capstan init --image example.com/capstan:1.0   from an image of yours
  capstan init --dry-run | kubectl diff -f -     what it would change
`;

/** Adds `capstan init`: the way of the manager into a management cluster. */
export function addInit(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("init")
    .description("install the kinds and the manager in a management cluster, or bring them up to date")
    .option("--kubeconfig <file>", "the management cluster (default: as kubectl)")
    .option("--context <name>", "a context of the kubeconfig, instead of the current one")
    .option("--image <reference>", "the image that the manager runs from", DEFAULT_IMAGE)
    .option("--dry-run", "print the objects as YAML and change nothing", false)
    .option("--take-over", "replace the definitions of another provider", false)
    .addHelpText("after", EXAMPLES)
    .action(async (flags: InitOptions) => {
      const { init } = await import("./commands/init.ts");
      await carryOut({ dataDir: "" }, () => init(shell, flags));
    });
}
