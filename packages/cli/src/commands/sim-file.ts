import { type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { definitionNamed, scaleSetNamed, shortName } from "../azure/resolve.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** Which file of which instance or image version, and what to write to it. */
export interface FileOptions {
  readonly address: SimulatorAddress;
  /** A scale set, or a definition of images. */
  readonly owner: string;
  /** The id of an instance, or the version of an image. */
  readonly member: string;
  readonly path: string;
  readonly content?: string;
}

/** `capstan sim file`: prints a file on the disk of an instance or in an image, or writes it as an administrator on the machine would. */
export async function simFile({ out }: Shell, options: FileOptions): Promise<number> {
  const { address, owner, member, path, content } = options;
  await withControl(address, async (control) => {
    const state = await control.state();
    const definition = definitionNamed(state, owner);
    const id = definition ?? scaleSetNamed(state, owner);
    const place = definition === undefined ? { scaleSetId: id, instanceId: member } : imageOf(id, member);
    const text = await control.file({ ...place, path }, content);
    if (content !== undefined) out.write(`${path} of ${shortName(id)}/${member} is written\n`);
    else out.write(text.endsWith("\n") ? text : `${text}\n`);
  });
  return EXIT.done;
}

function imageOf(definition: string, version: string): { readonly imageId: string } {
  return { imageId: `${definition}/versions/${version}` };
}
