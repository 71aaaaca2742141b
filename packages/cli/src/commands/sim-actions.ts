import type { Prohibition } from "@capstan/azure-sim";
import { type ControlClient, type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { scaleSetNamed, scopeNamed, shortName } from "../azure/resolve.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** Something that somebody else does to a scale set. */
export type ScaleSetAction =
  | { readonly verb: "delete" | "evict"; readonly instances: readonly string[] }
  | { readonly verb: "capacity"; readonly capacity: number };

/** `capstan sim delete`, `evict` and `capacity`: what happens to a scale set behind the back of its owner. */
export async function actOnScaleSet(
  { out }: Shell,
  options: { readonly address: SimulatorAddress; readonly scaleSet: string; readonly action: ScaleSetAction },
): Promise<number> {
  const { address, scaleSet, action } = options;
  await withControl(address, async (control) => {
    const scaleSetId = scaleSetNamed(await control.state(), scaleSet);
    for await (const done of carriedOut(control, scaleSetId, action)) out.write(`${done}\n`);
  });
  return EXIT.done;
}

/** Says what was done, one after the other: what comes before an instance that is not there has been done. */
async function* carriedOut(
  control: ControlClient,
  scaleSetId: string,
  action: ScaleSetAction,
): AsyncGenerator<string> {
  const name = shortName(scaleSetId);
  if (action.verb === "capacity") {
    await control.act("setCapacity", { scaleSetId, capacity: action.capacity });
    yield `${name} goes to ${action.capacity} instances`;
    return;
  }
  for (const instanceId of action.instances) {
    if (action.verb === "evict") {
      await control.act("evict", { scaleSetId, instanceId });
      yield `${name}/${instanceId} is being evicted`;
      continue;
    }
    const status = await control.act("deleteInstance", { scaleSetId, instanceId });
    if (status === NOTHING_THERE) {
      const there = await instancesOf(control, scaleSetId);
      throw new CommandError(`there is no instance ${instanceId} in ${name}; ${there}`);
    }
    yield `${name}/${instanceId} is being deleted`;
  }
}

// What ARM answers to the deletion of what is not there.
const NOTHING_THERE = 204;

/** What a scale set has. The simulator counts instances and does not list them; their machines have their ids. */
async function instancesOf(control: ControlClient, scaleSetId: string): Promise<string> {
  const { scaleSets } = await control.state();
  const counts = Object.entries(scaleSets.find(({ id }) => id === scaleSetId)?.instances ?? {});
  return counts.length === 0
    ? "it has none"
    : `it has: ${counts.map(([state, count]) => `${count} ${state}`).join(", ")}`;
}

/** What an administrator forbids. */
export interface ForbidOptions {
  readonly address: SimulatorAddress;
  readonly scope: string;
  readonly kind: Prohibition["kind"];
  readonly type?: string;
  readonly name?: string;
}

/** `capstan sim lock` and `deny`: writes in a scope are refused from now on. */
export async function forbid({ out }: Shell, options: ForbidOptions): Promise<number> {
  const { address, kind, type } = options;
  const made = await withControl(address, async (control): Promise<Prohibition> => {
    const scope = scopeNamed(await control.state(), options.scope);
    const name =
      options.name ??
      `${kind === "DenyByPolicy" ? "deny" : "lock"}-${scope.slice(scope.lastIndexOf("/") + 1)}`;
    const prohibition: Prohibition = { name, scope, kind, ...(type !== undefined && { type }) };
    await control.forbid(prohibition);
    return prohibition;
  });
  const what = made.type === undefined ? made.kind : `${made.kind} of ${made.type}`;
  out.write(`${made.name}: ${what} on ${made.scope}\nundo it with: capstan sim unlock ${made.name}\n`);
  return EXIT.done;
}

/** `capstan sim unlock`: takes a lock or a denial back. */
export async function allow(
  { out }: Shell,
  { address, name }: { readonly address: SimulatorAddress; readonly name: string },
): Promise<number> {
  await withControl(address, (control) => control.allow(name));
  out.write(`${name} is lifted\n`);
  return EXIT.done;
}
