import { type Command, InvalidArgumentError, Option } from "commander";
import { count, durationMs, givenName } from "../arguments.ts";
import { accessOf, type AccessFlags, asking } from "../cluster-program.ts";
import type { DurationSource, RehearseForm } from "../commands/rehearse.ts";
import { type CarryOut, FEATURE_GATES } from "../flags.ts";
import type { Shell } from "../shell.ts";

type RehearseFlags = AccessFlags & {
  filename: string[];
  from?: string[];
  workload?: string[];
  readWorkloads: boolean;
  seeds: number;
  seed: number;
  durations: DurationSource;
  faults: string;
  limit: number;
  output: RehearseForm;
  compare?: string[];
  html?: string;
  featureGates?: string;
};

// A p90 over more seeds does not change any more.
const MOST_SEEDS = 1000;

function seedCount(text: string): number {
  const seeds = count(text);
  if (seeds < 1 || seeds > MOST_SEEDS)
    throw new InvalidArgumentError(`Expected at least one seed and at most ${MOST_SEEDS}.`);
  return seeds;
}

const FORMS = ["text", "json", "markdown"];
const DURATIONS: readonly DurationSource[] = ["fleet", "table"];
const DAY_MS = 24 * 3_600_000;

function durationsOption(): Option {
  const meaning =
    "of boots, drains, creations and deletions: learnt from the fleet where five machines show them, or those of the model's table";
  return new Option("--durations <source>", meaning).choices(DURATIONS).default("fleet");
}

/** Adds `capstan rehearse`. */
export function addRehearse(program: Command, shell: Shell, carryOut: CarryOut): void {
  const several = (file: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    givenName(file),
  ];
  asking(program, "rehearse", shell)
    .description("grow your fleet in virtual time from its specs, apply a change, and show what happens")
    .addOption(
      new Option("-f, --filename <file>", "manifests of the change, as for kubectl apply; may be repeated")
        .argParser(several)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        "--from <file>",
        "a dump of the fleet: kubectl get -o yaml or json, or a folder of clusterctl move --to-directory; may be repeated (default: the cluster of the kubeconfig)",
      ).argParser(several),
    )
    .addOption(
      new Option(
        "--workload <name=file>",
        "a dump of a workload cluster, by the name of its Cluster: deployments, statefulsets, replicasets, pods and poddisruptionbudgets; may be repeated",
      ).argParser(several),
    )
    .option(
      "--read-workloads",
      "read pods and disruption budgets through the kubeconfig Secrets of the Clusters that the change reaches",
      false,
    )
    .option("--seeds <number>", "how many runs, each with other durations", seedCount, 20)
    .option("--seed <number>", "the first seed", count, 1)
    .addOption(durationsOption())
    .option("--faults <list>", "faults from the change on: none, swarm, or a comma-separated list", "none")
    .addOption(
      new Option("--limit <duration>", "virtual time that the change may take")
        .argParser(durationMs)
        .default(DAY_MS, "24h"),
    )
    .option("--feature-gates <gates>", FEATURE_GATES)
    .addOption(new Option("-o, --output <form>", "output format").choices(FORMS).default("text"))
    .option("--html <file>", "also write a report with pictures, as one file")
    .addOption(
      new Option(
        "--compare <file>",
        "manifests of another change, to be rehearsed and shown beside it; may be repeated",
      ).argParser(several),
    )
    .addHelpText("after", HELP)
    .action(async (given: RehearseFlags) => {
      const { filename: files, workload: workloads = [], readWorkloads: isReadingWorkloads, ...rest } = given;
      const { seed: firstSeed, limit: limitMs, from = [], compare = [], ...flags } = rest;
      const { rehearse } = await import("../commands/rehearse.ts");
      const access = accessOf(shell, flags);
      await carryOut(flags, () =>
        rehearse(shell, {
          ...flags,
          access,
          files,
          from,
          compare,
          workloads,
          isReadingWorkloads,
          firstSeed,
          limitMs,
        }),
      );
    });
  program.command("__rehearse-seeds", { hidden: true }).action(async () => {
    const { serveSeeds } = await import("./run-seeds.ts");
    await carryOut({ dataDir: "" }, () => serveSeeds());
  });
}

const HELP = `
Examples:
  capstan rehearse -f change.yaml --from dump.yaml              what the change would do to this fleet
  capstan rehearse -f change.yaml --from dump.yaml --seeds 1    one run, for a first look
  capstan rehearse -f change.yaml -o markdown                   the same for a pull request, with the cluster of the kubeconfig

Exit codes:
  0   nothing is disrupted
  1   it cannot be rehearsed, the server refuses the change, or the command line is invalid
  2   machines would be disrupted, within all budgets
  3   it would block, or break a budget
  4   no verdict: other programs carry it out, or it does not come to rest
`;
