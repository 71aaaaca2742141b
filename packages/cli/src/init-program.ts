import type { Command } from "commander";
import type { InitOptions } from "./commands/init.ts";
import type { CarryOut } from "./flags.ts";
import { DEFAULT_IMAGE } from "./manifest.ts";
import type { Shell } from "./shell.ts";

const EXAMPLES = `
Examples:
  capstan init                                   on the cluster of the current context; repeat it to update
  capstan init --image example.com/capstan:1.0   from an image of yours
  capstan init --dry-run | kubectl diff -f -     what it would change
`;

/** Adds `capstan init`, which installs the manager in a management cluster. */
export function addInit(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("init")
    .description("install the kinds and the manager in a management cluster, or update them")
    .option("--kubeconfig <file>", "kubeconfig of the management cluster (default: as kubectl)")
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--image <reference>", "image of the manager", DEFAULT_IMAGE)
    .option("--dry-run", "print the objects as YAML and change nothing", false)
    .option("--take-over", "replace the CRDs of another provider", false)
    .addHelpText("after", EXAMPLES)
    .action(async (flags: InitOptions) => {
      const { init } = await import("./commands/init.ts");
      await carryOut({ dataDir: "" }, () => init(shell, flags));
    });
}
