import type { Prohibition } from "@capstan/azure-sim";
import { type ControlClient, type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { resourceNamed, scaleSetNamed, scopeNamed, shortName } from "../azure/resolve.ts";
import { existingNames } from "../cluster/unknown-name.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** A change that another client makes to a scale set. */
export type ScaleSetAction =
  | { readonly verb: "delete" | "evict"; readonly instances: readonly string[] }
  | { readonly verb: "capacity"; readonly capacity: number };

/** `capstan sim delete`, `evict` and `capacity`: changes to a scale set that its owner does not know of. */
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

/** `capstan sim delete` without instances: a resource is deleted behind the back of its owner. */
export async function deleteResource(
  { out }: Shell,
  { address, resource }: { readonly address: SimulatorAddress; readonly resource: string },
): Promise<number> {
  await withControl(address, async (control) => {
    const id = resourceNamed(await control.state(), resource);
    await control.act("deleteResource", { id });
    out.write(`${shortName(id)} is being deleted\n`);
  });
  return EXIT.done;
}

/** Reports each change as it is made: those before a missing instance have taken effect. */
async function* carriedOut(
  control: ControlClient,
  scaleSetId: string,
  action: ScaleSetAction,
): AsyncGenerator<string> {
  const name = shortName(scaleSetId);
  if (action.verb === "capacity") {
    await control.act("setCapacity", { scaleSetId, capacity: action.capacity });
    yield `${name} is resized to ${action.capacity} instances`;
    return;
  }
  for (const instanceId of action.instances) {
    if (action.verb === "evict") {
      await control.act("evict", { scaleSetId, instanceId }).catch(async (error: unknown) => {
        throw isMissing(error) ? await noInstance(control, scaleSetId, instanceId) : error;
      });
      yield `${name}/${instanceId} is being evicted`;
      continue;
    }
    const status = await control.act("deleteInstance", { scaleSetId, instanceId });
    if (status === NOT_FOUND_STATUS) throw await noInstance(control, scaleSetId, instanceId);
    yield `${name}/${instanceId} is being deleted`;
  }
}

async function noInstance(
  control: ControlClient,
  scaleSetId: string,
  instanceId: string,
): Promise<CommandError> {
  const there = await instancesOf(control, scaleSetId);
  return new CommandError(`there is no instance ${instanceId} in ${shortName(scaleSetId)}; ${there}`);
}

function isMissing(error: unknown): boolean {
  const { status } = (error instanceof CommandError ? error.cause : {}) as { readonly status?: number };
  return status === 404;
}

// ARM's answer to the deletion of a resource that does not exist.
const NOT_FOUND_STATUS = 204;

async function instancesOf(control: ControlClient, scaleSetId: string): Promise<string> {
  const { scaleSets } = await control.state();
  const ids = scaleSets.find(({ id }) => id === scaleSetId)?.instanceIds ?? [];
  return ids.length === 0 ? "it has none" : existingNames(ids);
}

/** What an administrator forbids. */
export interface ForbidOptions {
  readonly address: SimulatorAddress;
  readonly scope: string;
  readonly kind: Prohibition["kind"];
  readonly type?: string;
  readonly name?: string;
}

/** `capstan sim lock` and `deny`: Azure refuses writes in a scope from now on. */
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

/** `capstan sim unlock`: removes a lock or a denial. */
export async function allow(
  { out }: Shell,
  { address, name }: { readonly address: SimulatorAddress; readonly name: string },
): Promise<number> {
  await withControl(address, (control) => control.allow(name));
  out.write(`${name} is removed\n`);
  return EXIT.done;
}
