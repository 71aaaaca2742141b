import { createHttpTransport, type Transport } from "@capstan/env";
import { checkConformance, conformanceText } from "@capstan/updater";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";

/** The updater to test. */
export interface UpdaterTestOptions {
  readonly url: string;
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly machine?: { readonly namespace: string; readonly name: string };
  readonly output?: "json";
}

/** `capstan updater test`: exit code 1 if a check fails. */
export async function updaterTest(shell: Shell, options: UpdaterTestOptions): Promise<number> {
  const { env, out } = shell;
  const { url, ca, machine, output } = options;
  const address = {
    baseUrl: url,
    ...(ca !== undefined && { ca: readGivenFile(shell, ca, "--ca") }),
    ...clientOf(shell, options),
  };
  const connect = (): Transport => createHttpTransport(address);
  const report = await checkConformance({ connect, clock: env.clock, ...(machine && { machine }) });
  out.write(output === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : conformanceText(report));
  return report.isPassed ? EXIT.done : EXIT.failed;
}

function clientOf(
  shell: Shell,
  { clientCertificate, clientKey }: UpdaterTestOptions,
): { readonly cert: string; readonly key: string } | object {
  if (clientCertificate === undefined && clientKey === undefined) return {};
  if (clientCertificate === undefined || clientKey === undefined)
    throw new CommandError("--client-certificate and --client-key must be given together");
  return {
    cert: readGivenFile(shell, clientCertificate, "--client-certificate"),
    key: readGivenFile(shell, clientKey, "--client-key"),
  };
}
