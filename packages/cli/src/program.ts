import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { portNumber, positiveNumber, updaterNames } from "./arguments.ts";
import { addDescribe, addGetClusters } from "./cluster-program.ts";
import { addConvert } from "./convert/convert-program.ts";
import { refuseFile } from "./data-directory/data-directory.ts";
import { explained } from "./data-directory/problems.ts";
import { EXIT } from "./exit-codes.ts";
import {
  type CarryOut,
  FEATURE_GATES,
  type DataDirFlag,
  dataDirOption,
  type OutputFlag,
  outputOption,
  UPDATERS_FLAG,
} from "./flags.ts";
import { addHelp } from "./help-program.ts";
import { addInit, addUninstall } from "./init-program.ts";
import { addManager } from "./manager-program.ts";
import { addVerify } from "./verify-program.ts";
import { VERSION } from "./manifest.ts";
import { commandOfOther, withOneName } from "./completion/other-programs.ts";
import { addPage } from "./page/page-program.ts";
import { addPrototype } from "./prototype-program.ts";
import { addRehearse } from "./rehearse/rehearse-program.ts";
import { addPlan, addRollout } from "./rollout-program.ts";
import { causeFirst } from "./render/cause-first.ts";
import { onOneLine } from "./render/one-line.ts";
import { fitted, widthFor } from "./render/width.ts";
import type { Shell } from "./shell.ts";
import { addSimCommands } from "./sim-program.ts";
import { addUpdater } from "./updater/updater-program.ts";

/** Runs a command line and returns its exit code. Errors are printed as a sentence, not as a stack trace. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  const ended = { code: EXIT.done as number };
  const other = commandOfOther(args);
  if (other !== undefined) {
    shell.err.write(`error: capstan does not have this command; use: ${onOneLine(other, LONGEST_HINT)}\n`);
    return EXIT.usage;
  }
  try {
    await programFor(shell, ended).parseAsync(withOneName(args).map(asFlag), { from: "user" });
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : usageCode(args);
    shell.err.write(`capstan: ${sentenceFor(error)}\n`);
    return error instanceof Error && error.name === "FeatureGateError" ? EXIT.usage : EXIT.failed;
  }
}

// A hint is copied, so it is cut only where nobody would type it.
const LONGEST_HINT = 400;

/** kubectl's form of a flag that is on unless switched off, which commander does not read. */
function asFlag(given: string): string {
  if (given === "--watch=false" || given === "-w=false") return "--no-watch";
  return given === "--watch=true" || given === "-w=true" ? "--watch" : given;
}

/** Pipelines detect a disruptive change by the exit code of `plan`: an invalid flag must not have the same one. */
function usageCode([command]: readonly string[]): number {
  return command === "plan" || command === "rehearse" ? EXIT.failed : EXIT.usage;
}

// By name, because importing the packages that define them would take longer than most commands do.
const FOR_USERS: ReadonlySet<string> = new Set([
  "CommandError",
  "DatabaseError",
  "FeatureGateError",
  "ServeProblem",
  "TransportError",
]);

/** Errors for users have a complete message; any other error is a defect, and its stack helps to fix it. */
function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "Failure") return sentenceForRequest(error);
  return FOR_USERS.has(error.name) ? error.message : `this is a defect: ${error.stack ?? error.message}`;
}

/** A request to a server has failed. */
function sentenceForRequest(error: Error & { readonly reason?: string }): string {
  const { cause, message, reason } = error;
  // Which request found the server unreachable says nothing to a user.
  if (cause instanceof Error && cause.name === "TransportError") return cause.message;
  if (reason === "KindNotServed") return kindNotServed(message);
  if (reason === "Forbidden") return `permission denied: ${deniedIn(message)}`;
  return reason === "Unauthorized" ? NOT_LOGGED_IN : causeFirst(message);
}

/** People often have the kubeconfig of a workload cluster in their environment. */
function kindNotServed(message: string): string {
  const [, group, plural] = /\/apis\/([^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([a-z]+)/.exec(message) ?? [];
  return group === undefined
    ? causeFirst(message)
    : `this cluster has no kind ${plural} of ${group}: it is a workload cluster, or Cluster API is not installed in it; choose the management cluster with --kubeconfig or --context`;
}

const NOT_LOGGED_IN =
  "not logged in, or the login has expired: the server does not accept the token or certificate in the kubeconfig; log in again, or get a new kubeconfig";

/** Who may not do what, and the next step. A quota or a webhook forbids requests, too: its words are complete. */
function deniedIn(message: string): string {
  const [, denied] = / is forbidden: (User .* cannot .*)$/s.exec(message) ?? [];
  return denied === undefined
    ? causeFirst(message)
    : `${denied}; ask an administrator of the cluster for a role that allows it`;
}

const EXAMPLES = `
Examples:
  capstan up                           start in ./.capstan, on port 6443
  capstan up --port 0 --data-dir /tmp/try   a second one, on a free port
  export KUBECONFIG=$PWD/.capstan/kubeconfig && kubectl get crds
  capstan page                         clusters and rollouts in a browser, with your own rights
  capstan status -o json               for scripts
  capstan sim status                   the resources of the simulated Azure, as a tree
  capstan sim run examples/scenarios/boot-100.yaml   a rehearsal in virtual time
  capstan rollout watch mp-0           the rollout of a pool
  capstan plan -f pool.yaml            what applying it would do
  capstan rehearse -f pool.yaml --from dump.yaml   the same in virtual time, on a fleet grown from a dump
  capstan convert -f manifests --in-place   manifests of v1beta1 become v1beta2, with their comments
  capstan init                         install the manager in a management cluster of yours
  capstan uninstall --dry-run          what would be removed from it
  capstan manager                      run the controllers on a management cluster of yours
  capstan azure-sim --port 8443        the simulated Azure alone, for any Azure SDK
  capstan down --purge                 stop, and remove all of its data

Environment:
  CAPSTAN_DATA_DIR   the data directory when --data-dir is not given
  NO_COLOR           no colours on a terminal, when set
  CAPSTAN_FEATURE_GATES   gates for up and manager, when --feature-gates does not name them

Exit codes:
  0   done
  1   failed; stderr has the reason
  2   the command line is invalid
  2   plan, rehearse: machines would be disrupted
  3   rehearse: the change would block or break a budget
  3   status: nothing is running
  4   rehearse: no verdict
`;

/** The words of every command, such as `rollout status`; the program itself is empty. */
export function commandPaths(shell: Shell): readonly string[] {
  const below = (command: Command, path: string): readonly string[] =>
    command.commands
      .filter((one) => !one.name().startsWith("_"))
      .flatMap((one) => {
        const name = `${path} ${one.name()}`.trim();
        return one.commands.length === 0 ? [name] : below(one, name);
      });
  return ["", ...below(programFor(shell, { code: 0 }), "")];
}

/** What is wrong with a command line, without carrying it out; undefined if it can be read. */
export function usageProblem(shell: Shell, args: readonly string[]): string | undefined {
  const program = programFor(shell, { code: 0 });
  const idle = (command: Command): void => {
    // A command without an action of its own prints its help; scripts do not use it.
    if (command.commands.length === 0) command.action(() => undefined);
    command.commands.forEach(idle);
  };
  idle(program);
  try {
    program.parse(args.map(asFlag), { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : error.message;
  }
}

/** All commands. Each imports its own code when it is chosen, so that commands start fast. */
function programFor(shell: Shell, ended: { code: number }): Command {
  const columns = Math.min(widthFor(shell), shell.out.columns);
  const program = new Command("capstan")
    .description(
      "Cluster API for Azure: a Kubernetes API with all its kinds and a simulated Azure, on this machine.",
    )
    .version(VERSION, "-V, --version", "print only the version of capstan")
    .helpCommand(false)
    .exitOverride()
    // Usages of some commands are half as wide as a window: without it, their descriptions would not be wrapped.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      // Commander folds descriptions; examples and notes below them are folded here.
      writeOut: (text) => shell.out.write(fitted(text, columns)),
      writeErr: (text) => shell.err.write(text),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
    })
    .addHelpText("after", EXAMPLES);
  const carryOut: CarryOut = async ({ dataDir }, command) => {
    const folder = resolve(shell.workingFolder, dataDir);
    try {
      refuseFile(folder);
      ended.code = await command(folder);
    } catch (error) {
      throw explained(error, folder);
    }
  };
  for (const [group, additions] of GROUPS) {
    program.commandsGroup(`${group}:`);
    for (const add of additions) add(program, shell, carryOut);
  }
  return program;
}

type Addition = (program: Command, shell: Shell, carryOut: CarryOut) => void;

/** The order in which help shows them; of two commands, the one that is used more often comes first. */
const GROUPS: readonly (readonly [string, readonly Addition[]])[] = [
  ["Run", [addServerCommands, addAzureSim, addInit, addUninstall, addManager, addUpdater, addVerify]],
  ["Look", [addQuestions, addDescribe, addPage]],
  ["Change", [addPlan, addRollout, addPrototype, addConvert]],
  ["Rehearse", [addRehearse, addSimCommands]],
  ["Help", [addHelp]],
];

const SPEED = "speed of all clocks relative to the machine's (default: as before, 1 at first)";

type UpFlags = DataDirFlag & {
  port: number;
  azurePort: number;
  pagePort: number;
  speed?: number;
  latencies?: string;
  featureGates?: string;
  updaters?: readonly string[];
};
type AzureSimFlags = {
  dataDir?: string;
  port: number;
  seed?: string;
  speed?: number;
  http: boolean;
  guests: boolean;
};

function addServerCommands(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("up")
    .description("start the Kubernetes API and the simulated Azure, and serve them until Ctrl-C")
    .addOption(dataDirOption(shell))
    .option("--port <number>", "port on 127.0.0.1; 0 picks a free one", portNumber, 6443)
    .option("--azure-port <number>", "port of the simulated Azure; 0 picks a free one", portNumber, 0)
    .option("--page-port <number>", "port of the page in the browser; 0 picks a free one", portNumber, 0)
    .option("--speed <factor>", SPEED, positiveNumber)
    .option(
      "--latencies <file>",
      "how long machines boot, pods stop and operations of Azure take, and which security updates they install, where that differs from the model; docs/scenarios.md has the format",
    )
    .option("--feature-gates <gates>", FEATURE_GATES)
    .option("--updaters <names>", UPDATERS_FLAG, updaterNames)
    .action(async ({ dataDir: folder, ...flags }: UpFlags) => {
      const { up } = await import("./commands/up.ts");
      await carryOut({ dataDir: folder }, (dataDir) => up(shell, { ...flags, dataDir }));
    });
  program
    .command("down")
    .description("stop the process that runs in the data directory")
    .addOption(dataDirOption(shell))
    .option("--purge", "remove the data directory as well, unless it contains files of other programs", false)
    .action(async (flags: DataDirFlag & { purge: boolean }) => {
      const { down } = await import("./commands/down.ts");
      await carryOut(flags, (dataDir) => down(shell, { dataDir, purge: flags.purge }));
    });
}

/** The commands that change nothing. */
function addQuestions(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("status")
    .description("report what runs, where, since when, and the state of its clusters")
    .addOption(dataDirOption(shell))
    .addOption(outputOption())
    .action(async (flags: DataDirFlag & OutputFlag) => {
      const { status } = await import("./commands/status.ts");
      await carryOut(flags, (dataDir) => status(shell, { dataDir, output: flags.output }));
    });
  const get = program.command("get").description("print objects: get clusters, get kubeconfig [cluster]");
  addGetClusters(get, shell, carryOut);
  get
    .command("kubeconfig")
    .description("print the administrator's kubeconfig of a cluster; works while nothing runs, too")
    .argument("[cluster]", "name of the cluster", "management")
    .addOption(dataDirOption(shell))
    .action(async (cluster: string, flags: DataDirFlag) => {
      const { getKubeconfig } = await import("./commands/get-kubeconfig.ts");
      await carryOut(flags, (dataDir) => getKubeconfig(shell, { dataDir, cluster }));
    });
  program
    .command("version")
    .description("print the versions of capstan, Node and the running server")
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
    .option("--data-dir <folder>", "where to persist it (default: nothing is persisted)")
    .option(
      "--seed <text>",
      "determines everything random: the same seed, the same simulated Azure (default: a new seed)",
    )
    .option("--speed <factor>", SPEED, positiveNumber)
    .option("--http", "plain HTTP, for clients that cannot be given a certificate authority", false)
    .option(
      "--guests",
      "boot the machines: they join clusters and become Nodes; --speed then shortens what Azure and kubeadm do, and the clock is the machine's",
      false,
    )
    .action(async ({ dataDir: given, ...flags }: AzureSimFlags) => {
      const { azureSim } = await import("./commands/azure-sim.ts");
      await carryOut({ dataDir: given ?? "" }, (dataDir) =>
        azureSim(shell, { ...flags, ...(given !== undefined && { dataDir }) }),
      );
    });
}
