import { type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { scaleSetNamed, shortName } from "../azure/resolve.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** Which package on which instance. */
export interface InstallOptions {
  readonly address: SimulatorAddress;
  readonly scaleSet: string;
  readonly instance: string;
  readonly name: string;
  readonly version: string;
}

const DATABASE = "/var/lib/dpkg/status";

/** `capstan sim install`: installs a package on a machine as apt does, as far as its package database shows. */
export async function simInstall({ out }: Shell, options: InstallOptions): Promise<number> {
  const { address, scaleSet, instance, name, version } = options;
  await withControl(address, async (control) => {
    const scaleSetId = scaleSetNamed(await control.state(), scaleSet);
    const file = { scaleSetId, instanceId: instance, path: DATABASE };
    const before = await control.file(file);
    await control.file(file, withPackage(before, name, version));
    out.write(`${name} ${version} is installed on ${shortName(scaleSetId)}/${instance}\n`);
  });
  return EXIT.done;
}

/** The database with this version of a package, in place of another one. */
export function withPackage(database: string, name: string, version: string): string {
  const entry = `Package: ${name}\nStatus: install ok installed\nVersion: ${version}\n`;
  const others = database
    .split(/\n{2,}/)
    .map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith(`Package: ${name}\n`));
  return [...others.map((one) => `${one}\n`), entry].join("\n");
}
