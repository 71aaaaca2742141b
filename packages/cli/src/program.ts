import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { portNumber, positiveNumber } from "./arguments.ts";
import { addDescribe, addGetClusters } from "./cluster-program.ts";
import { explained } from "./data-directory/problems.ts";
import { EXIT } from "./exit-codes.ts";
import {
  type CarryOut,
  FEATURE_GATES,
  type DataDirFlag,
  dataDirOption,
  type OutputFlag,
  outputOption,
} from "./flags.ts";
import { addInit } from "./init-program.ts";
import { addManager } from "./manager-program.ts";
import { VERSION } from "./manifest.ts";
import { addPlan, addRollout } from "./rollout-program.ts";
import type { Shell } from "./shell.ts";
import { addSimCommands } from "./sim-program.ts";

/** Runs a command line and gives its exit code. What goes wrong is said in a sentence, not in a stack trace. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  const ended = { code: EXIT.done as number };
  try {
    await programFor(shell, ended).parseAsync([...args], { from: "user" });
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : usageCode(args);
    shell.err.write(`capstan: ${sentenceFor(error)}\n`);
    return EXIT.failed;
  }
}

/** Pipelines ask `plan` by its exit code whether a change disrupts: a mistyped flag must not look like that. */
function usageCode([command]: readonly string[]): number {
  return command === "plan" ? EXIT.failed : EXIT.usage;
}

// By name, because loading the packages that they come from would take longer than most commands do.
const FOR_USERS: ReadonlySet<string> = new Set([
  "CommandError",
  "StorageFileError",
  "AzureStoreError",
  "FeatureGateError",
  "Failure",
]);

/** Errors that are meant for users say all there is to say; any other is a defect, and its stack is what we need. */
function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return FOR_USERS.has(error.name) ? error.message : `this is a defect: ${error.stack ?? error.message}`;
}

const EXAMPLES = `
Examples:
  capstan up                           start in ./.capstan, on port 6443
  capstan up --port 0 --data-dir /tmp/try   a second one, on a free port
  export KUBECONFIG=$PWD/.capstan/kubeconfig && kubectl get crds
  capstan status -o json               for scripts
  capstan sim status                   what is in the simulated Azure, as a tree
  capstan sim run examples/scenarios/boot-100.yaml   a rehearsal in virtual time
  capstan rollout watch mp-0           a pool while it is rolled
  capstan plan -f pool.yaml            what applying it would do, before it is done
  capstan init                         install the manager in a management cluster of yours
  capstan manager                      the controllers, on a management cluster of yours
  capstan azure-sim --port 8443        the simulated Azure alone, for any Azure SDK
  capstan down --purge                 stop, and remove everything it wrote

Environment:
  CAPSTAN_DATA_DIR   the data directory when --data-dir is not given
  NO_COLOR           no colours on a terminal, when set
  CAPSTAN_FEATURE_GATES   gates for up and manager, when --feature-gates does not name them

Exit codes:
  0   done
  1   it could not be done; a sentence on stderr says why
  2   the command line makes no sense
  2   plan: machines would be taken away from their pods
  3   status: nothing is running
`;

/** All commands. Each loads its own code when it is chosen, so that none waits for what another needs. */
function programFor(shell: Shell, ended: { code: number }): Command {
  const program = new Command("capstan")
    .description(
      "Cluster API for Azure: a Kubernetes API with all its kinds and a simulated Azure, on this machine.",
    )
    .version(VERSION, "-V, --version", "print the version of capstan alone")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
      getOutHelpWidth: () => shell.out.columns,
      getErrHelpWidth: () => shell.err.columns,
    })
    .showHelpAfterError("(capstan --help shows what there is)")
    .addHelpText("after", EXAMPLES);
  const carryOut: CarryOut = async ({ dataDir }, command) => {
    const folder = resolve(shell.workingFolder, dataDir);
    try {
      ended.code = await command(folder);
    } catch (error) {
      throw explained(error, folder);
    }
  };
  addServerCommands(program, shell, carryOut);
  addQuestions(program, shell, carryOut);
  addDescribe(program, shell, carryOut);
  addPlan(program, shell, carryOut);
  addRollout(program, shell, carryOut);
  addInit(program, shell, carryOut);
  addManager(program, shell, carryOut);
  addAzureSim(program, shell, carryOut);
  addSimCommands(program, shell, carryOut);
  return program;
}

const SPEED =
  "how many times as fast as the machine's the time of everything goes (default: as before, 1 at first)";

type UpFlags = DataDirFlag & { port: number; azurePort: number; speed?: number; featureGates?: string };
type AzureSimFlags = { dataDir?: string; port: number; seed?: string; speed?: number; http: boolean };

function addServerCommands(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("up")
    .description("start the Kubernetes API and the simulated Azure, and serve them until Ctrl-C")
    .addOption(dataDirOption(shell))
    .option("--port <number>", "port on 127.0.0.1; 0 picks a free one", portNumber, 6443)
    .option("--azure-port <number>", "port of the simulated Azure; 0 picks a free one", portNumber, 0)
    .option("--speed <factor>", SPEED, positiveNumber)
    .option("--feature-gates <gates>", FEATURE_GATES)
    .action(async ({ dataDir: folder, ...flags }: UpFlags) => {
      const { up } = await import("./commands/up.ts");
      await carryOut({ dataDir: folder }, (dataDir) => up(shell, { ...flags, dataDir }));
    });
  program
    .command("down")
    .description("stop what runs in the data directory")
    .addOption(dataDirOption(shell))
    .option(
      "--purge",
      "remove the data directory as well, unless there are files in it that are not ours",
      false,
    )
    .action(async (flags: DataDirFlag & { purge: boolean }) => {
      const { down } = await import("./commands/down.ts");
      await carryOut(flags, (dataDir) => down(shell, { dataDir, purge: flags.purge }));
    });
}

/** The commands that change nothing. */
function addQuestions(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("status")
    .description("say what runs, where, since when, and how its clusters are")
    .addOption(dataDirOption(shell))
    .addOption(outputOption())
    .action(async (flags: DataDirFlag & OutputFlag) => {
      const { status } = await import("./commands/status.ts");
      await carryOut(flags, (dataDir) => status(shell, { dataDir, output: flags.output }));
    });
  const get = program
    .command("get")
    .description("print what there is: get clusters, get kubeconfig [cluster]");
  addGetClusters(get, shell, carryOut);
  get
    .command("kubeconfig")
    .description("print the kubeconfig of a cluster's administrator; works while nothing runs, too")
    .argument("[cluster]", "name of the cluster", "management")
    .addOption(dataDirOption(shell))
    .action(async (cluster: string, flags: DataDirFlag) => {
      const { getKubeconfig } = await import("./commands/get-kubeconfig.ts");
      await carryOut(flags, (dataDir) => getKubeconfig(shell, { dataDir, cluster }));
    });
  program
    .command("version")
    .description("print the versions of capstan, Node and the server that runs")
    .addOption(dataDirOption(shell))
    .addOption(outputOption())
    .action(async (flags: DataDirFlag & OutputFlag) => {
      const { version } = await import("./commands/version.ts");
      await carryOut(flags, (dataDir) => version(shell, { dataDir, output: flags.output }));
    });
}

function addAzureSim(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("azure-sim")
    .description("serve a simulated Azure alone, to any Azure SDK, until Ctrl-C")
    .option("--port <number>", "port on 127.0.0.1; 0 picks a free one", portNumber, 8443)
    .option("--data-dir <folder>", "where to keep it (default: nothing is kept)")
    .option(
      "--seed <text>",
      "decides everything random: the same seed, the same cloud (default: a fresh one)",
    )
    .option("--speed <factor>", SPEED, positiveNumber)
    .option("--http", "plain HTTP, for callers that cannot be given an authority", false)
    .action(async ({ dataDir: given, ...flags }: AzureSimFlags) => {
      const { azureSim } = await import("./commands/azure-sim.ts");
      await carryOut({ dataDir: given ?? "" }, (dataDir) =>
        azureSim(shell, { ...flags, ...(given !== undefined && { dataDir }) }),
      );
    });
}
