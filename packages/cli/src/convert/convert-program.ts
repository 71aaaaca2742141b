import { type Command, Option } from "commander";
import { givenName } from "../arguments.ts";
import { type Target, TARGETS } from "./target.ts";
import type { CarryOut } from "../flags.ts";
import type { Shell } from "../shell.ts";

type ConvertFlags = { filename?: readonly string[]; to: Target; output?: string; inPlace: boolean };

/** Adds `capstan convert`. */
export function addConvert(program: Command, shell: Shell, carryOut: CarryOut): void {
  program
    .command("convert")
    .description("convert manifests between v1beta1 and v1beta2 of Cluster API; comments and order are kept")
    .addOption(
      new Option(
        "-f, --filename <file>",
        "manifests; a folder stands for its .yaml, .yml and .json files, - for standard input, which is the default; may be repeated",
      ).argParser((file: string, before: readonly string[] | undefined) => [
        ...(before ?? []),
        givenName(file),
      ]),
    )
    .addOption(
      new Option("--to <version>", "the version of the converted objects")
        .choices(TARGETS)
        .default(TARGETS[0]),
    )
    .addOption(
      new Option("-o, --output <file>", "write to this file instead of standard output")
        .argParser(givenName)
        .conflicts("inPlace"),
    )
    .option("--in-place", "write each file back instead of printing it", false)
    .addHelpText("after", CONVERT_HELP)
    .action(async ({ filename: files = ["-"], to, output, inPlace }: ConvertFlags) => {
      const { convert } = await import("../commands/convert.ts");
      await carryOut({ dataDir: "" }, () =>
        convert(shell, { files, to, inPlace, ...(output !== undefined && { output }) }),
      );
    });
}

const CONVERT_HELP = `
The kinds of the groups cluster.x-k8s.io, bootstrap, controlplane and runtime.cluster.x-k8s.io are converted; v1beta1 of an
ExtensionConfig is v1alpha1. So is AzureCluster, whose v1beta2 cluster-api-provider-azure does not have. Other objects are not
changed. What a version has no field for is said on standard error.

Examples:
  capstan convert -f cluster.yaml                       print it in v1beta2
  capstan convert -f manifests --in-place               convert all files of a folder
  clusterctl generate cluster pier | capstan convert    convert a template
  capstan convert -f cluster.yaml --to v1beta1          the other way
`;
