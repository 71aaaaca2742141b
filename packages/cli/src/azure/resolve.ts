import type { CloudState } from "@capstan/azure-sim";
import { CommandError } from "../command-error.ts";

// Enough to recognize the right one; `capstan sim status` lists all.
const NAMES_SHOWN = 5;

/** Resolves a scale set that the user names by its id, by GROUP/NAME or by its name alone. */
export function scaleSetNamed({ scaleSets }: CloudState, name: string): string {
  return idNamed(
    scaleSets.map(({ id }) => id),
    { name, what: "scale set" },
  );
}

/** Resolves a definition of images that the user names; undefined if there is none of that name. */
export function definitionNamed({ resources }: CloudState, name: string): string | undefined {
  const ids = resources.map(({ id }) => id).filter((id) => /\/galleries\/[^/]+\/images\/[^/]+$/i.test(id));
  return ids.some((id) => isNamed(id, name)) ? idNamed(ids, { name, what: "image" }) : undefined;
}

/** Resolves a resource that the user names; of several with one name, such as a machine and its interface, the virtual machine. */
export function resourceNamed({ resources }: CloudState, name: string): string {
  const ids = resources.map(({ id }) => id);
  const machines = ids.filter((id) => /\/virtualMachines\/[^/]+$/i.test(id));
  const isMachine = machines.some((id) => isNamed(id, name));
  return idNamed(isMachine ? machines : ids, { name, what: "resource" });
}

/** Resolves anything that has an id: a subscription, a group or a resource. */
export function scopeNamed({ resources }: CloudState, name: string): string {
  // A resource that does not exist yet can be locked or denied too, but only by its full id.
  if (name.startsWith("/")) return name;
  return idNamed(
    resources.map(({ id }) => id),
    { name, what: "resource or group" },
  );
}

function idNamed(ids: readonly string[], { name, what }: { name: string; what: string }): string {
  const found = ids.filter((id) => isNamed(id, name));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first !== undefined)
    throw new CommandError(
      `${JSON.stringify(name)} matches several; choose one: ${shown(found.map(shortName))}`,
    );
  throw new CommandError(
    ids.length === 0
      ? `there is no ${what} yet`
      : `there is no ${what} ${JSON.stringify(name)}; existing: ${shown(ids.map(shortName))}`,
  );
}

function isNamed(id: string, name: string): boolean {
  const desired = name.toLowerCase();
  return [id, shortName(id), lastName(id)].some((one) => one.toLowerCase() === desired);
}

/** A resource in short form: `group/name`. */
export function shortName(id: string): string {
  const [, , , , group = ""] = id.split("/");
  const name = lastName(id);
  return name === group ? group : `${group}/${name}`;
}

function lastName(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

function shown(names: readonly string[]): string {
  return names.slice(0, NAMES_SHOWN).join(", ") + (names.length > NAMES_SHOWN ? ", …" : "");
}
