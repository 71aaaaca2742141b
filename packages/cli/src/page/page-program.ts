import type { Command } from "commander";
import { portNumber } from "../arguments.ts";
import { accessOf, type AccessFlags, asking } from "../cluster-program.ts";
import type { CarryOut } from "../flags.ts";
import type { Shell } from "../shell.ts";

/** Adds `capstan page`. */
export function addPage(program: Command, shell: Shell, carryOut: CarryOut): void {
  asking(program, "page", shell)
    .description("show clusters and rollouts live in a browser, with your own rights, until Ctrl-C")
    .option("--port <number>", "port on 127.0.0.1; 0 picks a free one", portNumber, 0)
    .action(async ({ port, ...flags }: AccessFlags & { port: number }) => {
      const { page } = await import("../commands/page.ts");
      await carryOut(flags, () => page(shell, { access: accessOf(shell, flags), port }));
    });
}
