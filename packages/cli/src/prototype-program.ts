import type { Command } from "commander";
import { givenName } from "./arguments.ts";
import { accessOf, type AccessFlags, asking } from "./cluster-program.ts";
import type { CarryOut } from "./flags.ts";
import type { Shell } from "./shell.ts";

const POOL = "name of the AzureMachinePool or MachinePool, also as amp/NAME, mp/NAME or NAMESPACE/NAME";

const VERBS = [
  ["now", "renew the image of a pool now, without regard to its interval and window"],
  ["rollback", "let new nodes boot from the image before; existing nodes stay"],
] as const;

/** Adds `capstan prototype` with its verbs. */
export function addPrototype(program: Command, shell: Shell, carryOut: CarryOut): void {
  const prototype = program
    .command("prototype")
    .description("see and control the images that pools take of their nodes: list, status, now, rollback");
  asking(prototype, "list", shell)
    .description("list the pools that renew the image of new nodes")
    .option("-A, --all-namespaces", "list pools of all namespaces", false)
    .action(async (flags: AccessFlags & { allNamespaces: boolean }) => {
      const { prototypeList } = await import("./commands/prototype.ts");
      const options = { access: accessOf(shell, flags), isEverywhere: flags.allNamespaces };
      await carryOut(flags, () => prototypeList(shell, options));
    });
  asking(prototype, "status", shell)
    .description("show the renewal of a pool: phase, donor, time line, versions and benefit")
    .argument("<pool>", POOL, givenName)
    .action(async (pool: string, flags: AccessFlags) => {
      const { prototypeStatus } = await import("./commands/prototype.ts");
      const options = { access: accessOf(shell, flags), pool };
      await carryOut(flags, () => prototypeStatus(shell, options));
    });
  for (const [verb, description] of VERBS) {
    asking(prototype, verb, shell)
      .description(description)
      .argument("<pool>", POOL, givenName)
      .action(async (pool: string, flags: AccessFlags) => {
        const { prototypeAsk } = await import("./commands/prototype.ts");
        const options = { access: accessOf(shell, flags), pool };
        await carryOut(flags, () => prototypeAsk(shell, verb, options));
      });
  }
}
