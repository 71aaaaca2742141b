import { type Frozen, Machine } from "@capstan/api";
import { cloneReference, type CloneSources, ensureClones } from "./clones.ts";
import { applyMachine, machineConfiguration, newMachineName } from "./configuration.ts";
import type { OwnerScope, Texts } from "./owner.ts";

/**
 * A machine to create. Its name is in the status of its owner before it exists: neither a crash nor a cache that shows too
 * few machines leads to a machine too many.
 */
export interface NewMachine {
  readonly name: string;
  readonly sources: CloneSources;
  /** The failure domain that the plan has chosen; unless given, that of the owner. */
  readonly failureDomain?: string | undefined;
  readonly annotations?: Texts;
}

/** Names for new machines that no machine in the cache has. */
export function newMachineNames({ context, owner }: OwnerScope, count: number): readonly string[] {
  const { namespace } = owner.object.metadata;
  const rng = context.env.rng("machine-names");
  const names = new Set<string>();
  while (names.size < count) {
    const name = newMachineName(owner.naming, rng);
    if (!context.cache.get(Machine, { name, namespace })) names.add(name);
  }
  return [...names];
}

/** Creates a machine, and then its bootstrap config and its infrastructure. */
export async function createMachine(scope: OwnerScope, machine: NewMachine): Promise<void> {
  const { context, owner } = scope;
  const { name, sources, failureDomain = owner.failureDomain, annotations } = machine;
  const { bootstrap } = owner;
  const body = machineConfiguration(
    owner,
    {
      infrastructureRef: cloneReference(sources.infrastructure, name),
      ...(sources.bootstrap && { configRef: cloneReference(sources.bootstrap, name) }),
      ...(bootstrap.from === "secret" && { dataSecretName: bootstrap.name }),
      version: owner.version,
      failureDomain,
    },
    { ...owner.machineAnnotations(undefined), ...annotations },
  );
  const created = await applyMachine(scope, name, body);
  context.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created Machine ${name}` });
  await ensureClones(scope, created, sources);
}

/**
 * Continues with a recorded machine that the cache does not show: it was not created before a crash, or the cache is
 * behind. Returns whether it exists now; one that does not exist and is not needed any more is not created.
 */
export async function resumeCreation(
  scope: OwnerScope,
  machine: NewMachine,
  { isNeeded }: { readonly isNeeded: boolean },
): Promise<boolean> {
  const { context, owner } = scope;
  const { namespace } = owner.object.metadata;
  const existing: Frozen<Machine> | undefined = await context.client.find(Machine, {
    name: machine.name,
    namespace,
  });
  if (!existing && !isNeeded) return false;
  if (!existing) await createMachine(scope, machine);
  else if (existing.metadata.deletionTimestamp === undefined)
    await ensureClones(scope, existing, machine.sources);
  return true;
}
