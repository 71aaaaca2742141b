import { type Command, InvalidArgumentError, Option } from "commander";
import { portNumber } from "../arguments.ts";
import type { UpdaterServeOptions } from "../commands/updater-azure-serve.ts";
import type { UpdaterTestOptions } from "../commands/updater-test.ts";
import type { CarryOut } from "../flags.ts";
import type { Shell } from "../shell.ts";

const TEST_EXAMPLES = `
Unless --machine is given, nothing is updated: the kit asks about machines that
do not exist.

Examples:
  capstan updater test https://localhost:9443 --ca tls/tls.crt
  capstan updater test https://localhost:9443 --ca tls/tls.crt -o json
  capstan updater test https://updater.example.com --machine team-a/worker-1
`;

const SERVE_EXAMPLES = `
Azure, by the usual variables of an identity that may change virtual machines:
  AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET    a service principal
  AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE    workload identity
  AZURE_TENANT_ID and AZURE_CLIENT_ID                         a managed identity
  AZURE_ACCESS_TOKEN                                          a token, to try it

Examples:
  capstan updater azure serve --tls-folder /tls
  capstan updater azure serve --tls-folder tls --kubeconfig ~/.kube/config --port 9444
`;

/** Adds `capstan updater`: the kit that tests updaters, and the updater for Azure as a server. */
export function addUpdater(program: Command, shell: Shell, carryOut: CarryOut): void {
  const updater = program.command("updater").description("test updaters, and serve the one for Azure");
  updater
    .command("test")
    .description("call an updater of either dialect with good and hostile requests, and report")
    .argument("<url>", "its address, such as https://localhost:9443", httpsAddress)
    .option("--ca <file>", "the certificate authority of its certificate (default: the system's)")
    .option("--client-certificate <file>", "client certificate, for an updater that requires one")
    .option("--client-key <file>", "key of that certificate")
    .option(
      "--machine <namespace/name>",
      "a Machine that may be updated, to call UpdateMachine for",
      machineName,
    )
    .addOption(new Option("-o, --output <form>", "output format, instead of text").choices(["json"]))
    .addHelpText("after", TEST_EXAMPLES)
    .action(async (url: string, options: Omit<UpdaterTestOptions, "url">) => {
      const { updaterTest } = await import("../commands/updater-test.ts");
      await carryOut({ dataDir: "" }, () => updaterTest(shell, { ...options, url }));
    });
  updater
    .command("azure")
    .description("the updater that changes the size of virtual machines in place")
    .command("serve")
    .description("serve it over TLS for a management cluster of another program, until SIGTERM")
    .requiredOption("--tls-folder <folder>", "folder with tls.crt and tls.key, as Kubernetes mounts a Secret")
    .option("--port <port>", "port; 0 picks a free one", portNumber, 9443)
    .option("--client-authority <file>", "refuse callers without a client certificate of this authority")
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the management cluster (default: as kubectl, or in-cluster)",
    )
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--azure-endpoint <url>", "an Azure other than the public one, such as a simulated one")
    .option("--azure-ca <file>", "certificate authority of that endpoint")
    .addHelpText("after", SERVE_EXAMPLES)
    .action(async (options: UpdaterServeOptions) => {
      const { updaterAzureServe } = await import("../commands/updater-azure-serve.ts");
      await carryOut({ dataDir: "" }, () => updaterAzureServe(shell, options));
    });
}

function httpsAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.search === "" && url.hash === "" && url.username === "") return text;
  throw new InvalidArgumentError("Expected an address such as https://localhost:9443.");
}

function machineName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = "", ...others] = text.split("/");
  if (namespace === "" || name === "" || others.length > 0)
    throw new InvalidArgumentError("Expected NAMESPACE/NAME, such as default/worker-1.");
  return { namespace, name };
}
