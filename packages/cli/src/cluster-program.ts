import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { givenName } from "./arguments.ts";
import type { UserAccess } from "./cluster/user-kubeconfig.ts";
import { type CarryOut, dataDirOption, type OutputFlag, outputOption } from "./flags.ts";
import type { Shell } from "./shell.ts";

/** Flags by which commands find the management cluster. */
export type AccessFlags = {
  dataDir: string;
  /** Whether the command line has `--data-dir`. */
  isDataDirGiven?: boolean;
  kubeconfig?: string;
  context?: string;
  namespace?: string;
};

/** A command with the flags that every command on a management cluster has. */
export function asking(parent: Command, name: string, shell: Shell): Command {
  const command = parent.command(name);
  command.on("option:data-dir", () => command.setOptionValue("isDataDirGiven", true));
  return command
    .addOption(dataDirOption(shell))
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the management cluster (default: that of --data-dir if given, else KUBECONFIG, else that of the data directory)",
    )
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("-n, --namespace <name>", "namespace (default: that of the context, or default)", givenName);
}

/** The management cluster and namespace that the flags select. */
export function accessOf(
  { workingFolder }: Shell,
  { dataDir, isDataDirGiven = false, kubeconfig, context, namespace }: AccessFlags,
): UserAccess {
  return {
    dataDir: resolve(workingFolder, dataDir),
    isDataDirGiven,
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(namespace !== undefined && { namespace }),
  };
}

const WATCH = "show it again after each change, until Ctrl-C";

type DescribeFlags = AccessFlags &
  OutputFlag & { watch: boolean; grouping: boolean; showConditions?: string; showMachinesets?: boolean };

/** Adds `capstan describe cluster`. */
export function addDescribe(program: Command, shell: Shell, carryOut: CarryOut): void {
  const describe = program
    .command("describe")
    .description("show an object and its parts as a tree: describe cluster NAME")
    .argument("[kind]")
    .argument("[name]")
    .action((kind: string | undefined, name: string | undefined) => {
      if (kind === undefined) return describe.help({ error: true });
      return describe.error(describeProblem(kind, name));
    });
  asking(describe, "cluster", shell)
    .description("show a cluster as a tree, with the conditions of its parts")
    .argument("<name>", "name of the Cluster", givenName)
    .option("--no-grouping", "show each machine; without it, machines in the same state share a line")
    .option("--show-machinesets", "show the MachineSets of MachineDeployments")
    .option("--show-conditions <whose>", "show conditions one by one: all, a kind, or KIND/NAME")
    .option("-w, --watch", WATCH, false)
    .addOption(new Option("--no-watch").hideHelp())
    .addOption(outputOption())
    .action(async (name: string, flags: DescribeFlags) => {
      const { describeCluster } = await import("./commands/describe-cluster.ts");
      const { grouping: isGrouped, showConditions: conditionsOf, showMachinesets = false } = flags;
      const { output, watch: isWatching } = flags;
      const access = accessOf(shell, flags);
      await carryOut(flags, () =>
        describeCluster(shell, {
          access,
          name,
          output,
          isWatching,
          tree: { isGrouped, conditionsOf, hasMachineSets: showMachinesets },
        }),
      );
    });
}

/** What is wrong with a kind that cannot be described, or with the name of a cluster in its place. */
function describeProblem(kind: string, name: string | undefined): string {
  if (name === undefined || /^clusters?(\.|$)/i.test(kind))
    return `error: unknown command '${kind}'\n(Did you mean describe cluster ${name ?? kind}?)`;
  return `error: capstan describes clusters only; for other kinds: kubectl describe ${kind} ${name}`;
}

type GetFlags = AccessFlags & OutputFlag & { allNamespaces: boolean; watch: boolean };

/** Adds `capstan get clusters`. */
export function addGetClusters(get: Command, shell: Shell, carryOut: CarryOut): void {
  asking(get, "clusters", shell)
    .alias("cluster")
    .description("list clusters with their machines, and why one is not ready")
    .argument("[names...]", "only these clusters")
    .option("-A, --all-namespaces", "list clusters of all namespaces", false)
    .option("-w, --watch", WATCH, false)
    .addOption(new Option("--no-watch").hideHelp())
    .addOption(outputOption())
    .action(async (names: string[], flags: GetFlags) => {
      const { getClusters } = await import("./commands/get-clusters.ts");
      const { allNamespaces: isEverywhere, output, watch: isWatching } = flags;
      const access = accessOf(shell, flags);
      await carryOut(flags, () => getClusters(shell, { access, names, output, isEverywhere, isWatching }));
    });
}
