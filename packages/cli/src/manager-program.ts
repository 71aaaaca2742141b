import { type Command, InvalidArgumentError, Option } from "commander";
import { count, durationMs, names, updaterNames } from "./arguments.ts";
import type { ManagerCommandOptions } from "./commands/manager.ts";
import { type CarryOut, CONTROLLERS_FLAG, FEATURE_GATES, UPDATERS_FLAG } from "./flags.ts";
import type { Shell } from "./shell.ts";

const EXAMPLES = `
Examples:
  capstan manager                                        on the cluster of the current context, or of the pod it runs in
  capstan manager --controllers azure                    the Azure provider beside Cluster API's own core
  capstan manager --controllers cluster,azurecluster     only some kinds; another provider may reconcile the others
  capstan manager --concurrency azurecluster=20 --namespace team-a

Environment:
  KUBECONFIG               path of the kubeconfig when --kubeconfig is not given
  HTTPS_PROXY, NO_PROXY    the proxy for requests to Azure
  CAPSTAN_FEATURE_GATES    gates, when --feature-gates does not name them
`;

/** Adds `capstan manager`, which runs the controllers against a management cluster and Azure. */
export function addManager(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("manager")
    .description("run the controllers on a management cluster, until SIGTERM")
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the management cluster (default: as kubectl, or in-cluster)",
    )
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--controllers <names>", CONTROLLERS_FLAG, names)
    .option(
      "--concurrency <controller=number>",
      "concurrent reconciles of a controller; may be repeated",
      concurrency,
      {},
    )
    .option("--namespace <name>", "watch one namespace instead of all")
    .option(
      "--watch-filter <value>",
      "reconcile only objects with this value of cluster.x-k8s.io/watch-filter",
    )
    .option("--no-leader-elect", "run without a Lease: this process must be the only one")
    .option(
      "--lease-namespace <name>",
      "namespace of the Lease and of the webhooks' certificate",
      "capstan-system",
    )
    .option(
      "--health-addr <host:port>",
      "address of /healthz, /readyz, /readyz/controllers and /metrics",
      ":9440",
    )
    .option("--webhook-port <port>", "port of the admission webhooks; 0 disables them", webhookPort, 9443)
    .option("--azure-endpoint <url>", "an Azure other than the public one, such as a simulated one")
    .option("--azure-ca <file>", "certificate authority of that endpoint")
    .option("--feature-gates <gates>", FEATURE_GATES)
    .option(
      "--in-place-update-timeout <duration>",
      "how long an updater may take for one machine, unless its ExtensionConfig says otherwise",
      durationMs,
      30 * 60_000,
    )
    .option("--updaters <names>", UPDATERS_FLAG, updaterNames)
    .option("--updater-client-certificate <file>", "client certificate for updaters that require one")
    .option("--updater-client-key <file>", "key of that certificate")
    .option("--take-over", "reconcile kinds although another provider has installed them", false)
    .addOption(
      new Option("--log-level <level>", "log level")
        .choices(["debug", "info", "warn", "error"])
        .default("info"),
    )
    .addOption(new Option("--log-format <form>", "log format").choices(["json", "pretty"]).default("json"))
    .addHelpText("after", EXAMPLES)
    .action(async (flags: ManagerCommandOptions) => {
      const { manager } = await import("./commands/manager.ts");
      await carryOut({ dataDir: "" }, () => manager(shell, flags));
    });
}

function webhookPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("Expected a number from 0 to 65535; 0 serves no webhooks.");
  return port;
}

function concurrency(
  text: string,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const [name = "", number = ""] = text.split("=");
  if (name === "" || number === "0")
    throw new InvalidArgumentError("Expected CONTROLLER=NUMBER, such as azurecluster=20.");
  return { ...before, [name.toLowerCase()]: count(number) };
}
