import { type Command, Option } from "commander";
import { names } from "./arguments.ts";
import type { VerifyAzureOptions } from "./commands/verify-azure.ts";
import type { CarryOut } from "./flags.ts";
import type { Shell } from "./shell.ts";

const EXAMPLES = `
Log in with AZURE_ACCESS_TOKEN (az account get-access-token --query accessToken -o tsv),
or with AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET of a service principal.

Examples:
  capstan verify azure --subscription $ID                       what it would do, and what that costs
  capstan verify azure --subscription $ID --yes                 all of it; exit code 1 if Azure differs
  capstan verify azure --subscription $ID --yes --only if-match
  capstan verify azure --subscription $ID --clean-up            after a crash
`;

/** Adds `capstan verify azure`. */
export function addVerify(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("verify")
    .description("check what Capstan assumes, on your own subscription")
    .command("azure")
    .description(
      "check what Capstan assumes about Azure, in a resource group of its own that is deleted again",
    )
    .requiredOption("--subscription <id>", "the subscription to check on")
    .option("--location <region>", "the region", "westeurope")
    .option("--size <name>", "the size of the virtual machines", "Standard_D2s_v3")
    .option("--other-size <name>", "the size that one of them is changed to", "Standard_D4s_v3")
    .option(
      "--only <ids>",
      "comma-separated assumptions to check, with those they need (default: all)",
      names,
    )
    .option("--yes", "confirm the cost, and begin", false)
    .option("--clean-up", "delete what earlier runs have left behind, and nothing else", false)
    .option("--azure-endpoint <url>", "an Azure other than the public one, such as a simulated one")
    .option("--azure-ca <file>", "certificate authority of that endpoint")
    .addOption(new Option("-o, --output <form>", "output format, instead of text").choices(["json"]))
    .addHelpText("after", EXAMPLES)
    .action(async (options: VerifyAzureOptions) => {
      const { verifyAzure } = await import("./commands/verify-azure.ts");
      await carryOut({ dataDir: "" }, () => verifyAzure(shell, options));
    });
}
