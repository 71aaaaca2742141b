import { existsSync } from "node:fs";
import { MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import { connect, savedAccess } from "../cluster/transport.ts";
import { holderOf } from "../data-directory/holder.ts";
import { EXIT } from "../exit-codes.ts";
import { VERSION } from "../manifest.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { facts } from "../render/table.ts";
import type { Shell } from "../shell.ts";

/** Whose server to ask, and how to print the versions. */
export interface VersionOptions {
  readonly dataDir: string;
  readonly output: OutputForm;
}

/** `capstan version`: the versions of the program, of Node, and of the server if one runs. */
export async function version({ out }: Shell, { dataDir, output }: VersionOptions): Promise<number> {
  const server = await serverVersion(dataDir);
  const answer = { capstan: VERSION, node: process.version, ...(server !== undefined && { server }) };
  const platform = `${process.platform}-${process.arch}`;
  out.write(
    await printed(answer, output, (isWide) =>
      facts([
        ["capstan", VERSION],
        ["node", process.version],
        ["server", server ?? "not running"],
        ...(isWide ? [["platform", platform] as const] : []),
      ]),
    ),
  );
  return EXIT.done;
}

async function serverVersion(dataDir: string): Promise<string | undefined> {
  const access = savedAccess(dataDir, MANAGEMENT_CLUSTER);
  if (!access || !existsSync(dataDir) || !holderOf(dataDir)) return undefined;
  const transport = connect(access);
  try {
    const answer = await transport.request({ method: "GET", path: "/version", headers: {} });
    return ((await answer.json()) as { gitVersion: string }).gitVersion;
  } catch {
    // A server that is starting or stopping does not report a version.
    return undefined;
  } finally {
    await transport.close();
  }
}
