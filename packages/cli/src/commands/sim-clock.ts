import { type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { facts } from "../render/table.ts";
import type { Shell } from "../shell.ts";

/** Which simulator, and how to change its clock. */
export interface SimClockOptions {
  readonly address: SimulatorAddress;
  readonly output: OutputForm;
  readonly change?: { readonly advanceSeconds: number } | { readonly speed: number };
}

/** `capstan sim clock`: prints or changes the time of a data directory, which the simulated Azure uses. */
export async function simClock(
  { out }: Shell,
  { address, output, change }: SimClockOptions,
): Promise<number> {
  const clock = await withControl(address, (control) => control.clock(change));
  out.write(
    await printed(clock, output, () =>
      facts([
        ["time", clock.now],
        ["speed", String(clock.speed)],
      ]),
    ),
  );
  return EXIT.done;
}
