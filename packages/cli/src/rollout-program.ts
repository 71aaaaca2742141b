import { type Command, Option } from "commander";
import { accessOf, type AccessFlags, asking } from "./cluster-program.ts";
import { durationMs, givenName } from "./arguments.ts";
import type { CarryOut } from "./flags.ts";
import { PLAN_FORMS, type PlanForm } from "./plan/print/plan-form.ts";
import type { Shell } from "./shell.ts";

type PlanFlags = AccessFlags & { filename: string[]; output: PlanForm; verbose: boolean; now?: string };

/** Adds `capstan plan`. */
export function addPlan(program: Command, shell: Shell, carryOut: CarryOut): void {
  asking(program, "plan", shell)
    .description("show what the controllers would do next, or what a change of a pool would do")
    .addOption(
      new Option(
        "-f, --filename <file>",
        "a dump of kubectl get -o yaml, or manifests to apply; a folder stands for its .yaml, .yml and .json files, - for standard input; may be repeated",
      )
        .argParser((file: string, before: readonly string[] | undefined) => [
          ...(before ?? []),
          givenName(file),
        ])
        .makeOptionMandatory(),
    )
    .addOption(new Option("-o, --output <form>", "output format").choices(PLAN_FORMS).default("text"))
    .option("-v, --verbose", "show the hashes of models, too", false)
    .option("--now <time>", "time of a dump (default: the newest timestamp in it)")
    .addHelpText("after", PLAN_HELP)
    .action(async ({ filename: files, output, verbose: isVerbose, now, ...flags }: PlanFlags) => {
      const { plan } = await import("./commands/plan.ts");
      const access = accessOf(shell, flags);
      await carryOut(flags, () =>
        plan(shell, { access, files, output, isVerbose, ...(now !== undefined && { now }) }),
      );
    });
}

const PLAN_HELP = `
Examples:
  capstan plan -f pool.yaml                  what applying it would do, to the cluster of the kubeconfig
  capstan plan -f pool.yaml -o markdown      the same, for a pull request
  kubectl get machinepools,azuremachinepools,azuremachinepoolmachines,clusters,azureclusters -o yaml | capstan plan -f -
                                             what the controllers would do next, without sending any request

Exit codes:
  0   nothing is disrupted
  1   it cannot be planned, or the command line is invalid
  2   machines would be deleted or updated in place, or their pool is being deleted
`;

const POOL =
  "name of the AzureMachinePool or MachinePool, also as amp/NAME, mp/NAME or NAMESPACE/NAME; md/NAME or kcp/NAME for a MachineDeployment or a KubeadmControlPlane";

type StatusFlags = AccessFlags & { watch: boolean; timeout?: number; output?: "json" };

/** Adds `capstan rollout` with its verbs. */
export function addRollout(program: Command, shell: Shell, carryOut: CarryOut): void {
  const rollout = program
    .command("rollout")
    .description("watch and control a rollout: status, watch, pause, resume, restart, undo");
  asking(rollout, "status", shell)
    .description("wait until every machine of a pool is up to date and available")
    .argument("<pool>", POOL, givenName)
    .addOption(
      new Option("-w, --watch", "wait until it ends; --watch=false prints the current state").default(true),
    )
    .addOption(new Option("--no-watch").hideHelp())
    .option("--timeout <duration>", "how long to wait, such as 30m (default: no limit)", durationMs)
    .addOption(
      new Option("-o, --output <form>", "a line of JSON for each change, for programs").choices(["json"]),
    )
    .addHelpText("after", STATUS_HELP)
    .action(
      async (pool: string, { watch: isWatching, timeout: timeoutMs, output, ...flags }: StatusFlags) => {
        const { rolloutStatus } = await import("./commands/rollout-status.ts");
        const options = { access: accessOf(shell, flags), pool };
        await carryOut(flags, () => rolloutStatus(shell, { ...options, isWatching, timeoutMs, output }));
      },
    );
  asking(rollout, "watch", shell)
    .description("show the machines of a pool and its budget as a tree, until Ctrl-C")
    .argument("<pool>", POOL, givenName)
    .addHelpText("after", WATCH_HELP)
    .action(async (pool: string, flags: AccessFlags) => {
      const { rolloutWatch } = await import("./commands/rollout-status.ts");
      const options = { access: accessOf(shell, flags), pool };
      await carryOut(flags, () => rolloutWatch(shell, options));
    });
  for (const [verb, description] of VERBS) {
    asking(rollout, verb, shell)
      .description(description)
      .argument("<pool>", POOL, givenName)
      .action(async (pool: string, flags: AccessFlags) => {
        const { rolloutChange } = await import("./commands/rollout-change.ts");
        const options = { access: accessOf(shell, flags), pool };
        await carryOut(flags, () => rolloutChange(shell, verb, options));
      });
  }
}

const VERBS = [
  ["pause", "pause a rollout: no machine is replaced or updated; nodes keep working"],
  ["resume", "resume a paused rollout"],
  ["restart", "replace each machine, within the budget, although the spec has not changed"],
  ["undo", "end a rollout of a MachineDeployment: give it the template of its previous revision again"],
] as const;

const OWNERS_HELP = `
kcp/NAME follows a KubeadmControlPlane, md/NAME a MachineDeployment; a name without one of these kinds is that of a pool.
`;

const WATCH_HELP = `${OWNERS_HELP}
If standard output is not a terminal, it writes a line for each change, ends with the rollout, and has the exit codes
of rollout status:
  0     it is rolled out
  1     it is not: it failed
  130   it was interrupted by Ctrl-C, also in a terminal
`;

const STATUS_HELP = `${OWNERS_HELP}
Exit codes:
  0     it is rolled out
  1     it is not: it failed, took longer than --timeout, or --watch=false found it unfinished
  130   it was interrupted by Ctrl-C
`;
