import { controllerOf, IN_PLACE_STRATEGIES, Machine, SET_NAME_LABEL, labelValueFor } from "@capstan/api";
import { waiting } from "@capstan/runtime";
import type { Scope } from "./scope.ts";

// The cache of a new leader may be behind for a moment.
const SOON_MS = 1_000;

/**
 * Machines of a deployment that updates in place change their set. The cache follows sets and machines separately, so it may
 * show a machine in two sets or in none; before a set creates or deletes a machine, it counts its machines at the server.
 */
export async function requireCurrentMachines({ context, set, deployment, machines }: Scope): Promise<void> {
  if (!IN_PLACE_STRATEGIES.includes(deployment?.spec.strategy?.type ?? "")) return;
  const { name, namespace, uid } = set.metadata;
  const labelSelector = `${SET_NAME_LABEL}=${labelValueFor(name)}`;
  const live = await context.client.list(Machine, {
    ...(namespace !== undefined && { namespace }),
    labelSelector,
  });
  const own = live.filter((machine) => controllerOf(machine)?.uid === uid);
  const cached = new Set(machines.map(({ metadata }) => metadata.uid));
  if (own.length === cached.size && own.every(({ metadata }) => cached.has(metadata.uid))) return;
  const message = `The cache shows ${cached.size} machines of the set, the server ${own.length}`;
  throw waiting("WaitingForCache", message, SOON_MS);
}
