import { type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { scaleSetNamed, shortName } from "../azure/resolve.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** Which file of which instance, and what to write to it. */
export interface FileOptions {
  readonly address: SimulatorAddress;
  readonly scaleSet: string;
  readonly instance: string;
  readonly path: string;
  readonly content?: string;
}

/** `capstan sim file`: prints a file on the disk of an instance, or writes it as an administrator on the machine would. */
export async function simFile({ out }: Shell, options: FileOptions): Promise<number> {
  const { address, scaleSet, instance, path, content } = options;
  await withControl(address, async (control) => {
    const scaleSetId = scaleSetNamed(await control.state(), scaleSet);
    const text = await control.file({ scaleSetId, instanceId: instance, path }, content);
    if (content !== undefined) out.write(`${path} of ${shortName(scaleSetId)}/${instance} is written\n`);
    else out.write(text.endsWith("\n") ? text : `${text}\n`);
  });
  return EXIT.done;
}
