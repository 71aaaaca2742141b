import type { Command } from "commander";
import { givenName } from "./arguments.ts";
import { accessOf, type AccessFlags, asking } from "./cluster-program.ts";
import type { CarryOut } from "./flags.ts";
import type { Shell } from "./shell.ts";

const OWNER =
  "name of the AzureMachinePool, MachinePool or AzureMachineTemplate, also as amp/NAME, mp/NAME, amt/NAME, azuremachinetemplate/NAME or NAMESPACE/NAME";

const VERBS = [
  ["now", "renew the image now, without regard to its interval and window"],
  ["rollback", "let new nodes boot from the image before; existing nodes stay"],
  ["unpin", "let images be renewed again after a pin"],
] as const;

/** Adds `capstan prototype` with its verbs. */
export function addPrototype(program: Command, shell: Shell, carryOut: CarryOut): void {
  const prototype = program
    .command("prototype")
    .description(
      "see and control the images that pools and templates take of their nodes: list, status, now, rollback, pin, unpin",
    );
  asking(prototype, "list", shell)
    .description("list the pools and templates that renew the image of new nodes")
    .option("-A, --all-namespaces", "list those of all namespaces", false)
    .action(async (flags: AccessFlags & { allNamespaces: boolean }) => {
      const { prototypeList } = await import("./commands/prototype.ts");
      const options = { access: accessOf(shell, flags), isEverywhere: flags.allNamespaces };
      await carryOut(flags, () => prototypeList(shell, options));
    });
  asking(prototype, "status", shell)
    .description("show the renewal of an image: phase, donor, time line, versions and benefit")
    .argument("<owner>", OWNER, givenName)
    .action(async (owner: string, flags: AccessFlags) => {
      const { prototypeStatus } = await import("./commands/prototype.ts");
      const options = { access: accessOf(shell, flags), owner };
      await carryOut(flags, () => prototypeStatus(shell, options));
    });
  for (const [verb, description] of VERBS) {
    asking(prototype, verb, shell)
      .description(description)
      .argument("<owner>", OWNER, givenName)
      .action(async (owner: string, flags: AccessFlags) => {
        const { prototypeAsk } = await import("./commands/prototype.ts");
        const options = { access: accessOf(shell, flags), owner };
        await carryOut(flags, () => prototypeAsk(shell, { verb }, options));
      });
  }
  asking(prototype, "pin", shell)
    .description(
      "let new nodes boot from one version until unpin; newer ones are rolled back, none is renewed",
    )
    .argument("<owner>", OWNER, givenName)
    .argument("<version>", "version of the image, as prototype status lists it")
    .action(async (owner: string, version: string, flags: AccessFlags) => {
      const { prototypeAsk } = await import("./commands/prototype.ts");
      const options = { access: accessOf(shell, flags), owner };
      await carryOut(flags, () => prototypeAsk(shell, { verb: "pin", version }, options));
    });
}
