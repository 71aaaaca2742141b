import type { Command } from "commander";
import type { InitOptions } from "./commands/init.ts";
import type { UninstallOptions } from "./commands/uninstall.ts";
import { names } from "./arguments.ts";
import { type CarryOut, CONTROLLERS_FLAG } from "./flags.ts";
import { DEFAULT_IMAGE } from "./manifest.ts";
import type { Shell } from "./shell.ts";

const EXAMPLES = `
Examples:
  capstan init                                   on the cluster of the current context; repeat it to update
  capstan init --image example.com/capstan:1.0   from an image of yours
  capstan init --controllers azure               the Azure provider alone, beside Cluster API's own core
  capstan init --dry-run | kubectl diff -f -     what it would change
`;

/** Adds `capstan init`, which installs the manager in a management cluster. */
export function addInit(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("init")
    .description("install the kinds and the manager in a management cluster, or update them")
    .option("--kubeconfig <file>", "kubeconfig of the management cluster (default: as kubectl)")
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--controllers <names>", CONTROLLERS_FLAG, names)
    .option("--image <reference>", "image of the manager", DEFAULT_IMAGE)
    .option("--dry-run", "print the objects as YAML and change nothing", false)
    .option("--take-over", "replace the CRDs of another provider", false)
    .option("--self-managed", "also into a workload cluster, which then manages itself", false)
    .addHelpText("after", EXAMPLES)
    .action(async (flags: InitOptions) => {
      const { init } = await import("./commands/init.ts");
      await carryOut({ dataDir: "" }, () => init(shell, flags));
    });
}

const UNINSTALL_EXAMPLES = `
Examples:
  capstan uninstall --dry-run                        what it would remove
  capstan uninstall                                  the manager; CRDs stay, and it refuses while objects exist
  capstan uninstall --include-crd                    the CRDs too, if no object exists
  capstan uninstall --include-crd --delete-objects   all clusters with their machines in Azure, then the rest
`;

/** Adds `capstan uninstall`, which removes what `capstan init` has installed. */
export function addUninstall(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("uninstall")
    .description("remove the manager from a management cluster, and the kinds if you ask for that")
    .option("--kubeconfig <file>", "kubeconfig of the management cluster (default: as kubectl)")
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--include-crd", "delete the CRDs too", false)
    .option("--include-namespace", "delete the namespace of the manager too, with all in it", false)
    .option("--delete-objects", "with --include-crd: delete all clusters and their machines in Azure", false)
    .option("--keep-objects", "leave objects, and machines in Azure, without a manager", false)
    .option("--dry-run", "print what would be removed and change nothing", false)
    .addHelpText("after", UNINSTALL_EXAMPLES)
    .action(async (flags: UninstallOptions) => {
      const { uninstall } = await import("./commands/uninstall.ts");
      await carryOut({ dataDir: "" }, () => uninstall(shell, flags));
    });
}
