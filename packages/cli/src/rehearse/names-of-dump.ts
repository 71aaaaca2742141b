import type { SeedResult } from "./rehearse-seed.ts";

type Names = Readonly<Record<string, readonly string[]>>;

/** A name in a text: the characters that names of Kubernetes have. */
const NAME = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g;

/**
 * Results in which the machines of before have the names of the dump, in order of age: users know those. Machines that the
 * change creates keep the names of the simulation.
 */
export function withNamesOfDump(results: readonly SeedResult[], names: Names): readonly SeedResult[] {
  const known = new Map(results.flatMap(({ facts }) => facts.groups.flatMap((group) => pairs(group, names))));
  if (known.size === 0) return results;
  const renamed = (text: string): string => text.replaceAll(NAME, (name) => known.get(name) ?? name);
  return results.map(({ facts, applied, run }) => ({
    applied,
    facts: {
      ...facts,
      groups: facts.groups.map((group) => ({
        ...group,
        machines: group.machines.map((machine) => ({
          ...machine,
          name: known.get(machine.name) ?? machine.name,
        })),
      })),
    },
    run: {
      ...run,
      groups: run.groups.map((group) => ({
        ...group,
        why: group.why.map(renamed),
        ...(group.unfinished !== undefined && { unfinished: renamed(group.unfinished) }),
      })),
    },
  }));
}

type Group = SeedResult["facts"]["groups"][number];

/** The machines of before with their names in the dump, both in order of age. */
function pairs({ key, machines }: Group, names: Names): readonly (readonly [string, string])[] {
  const grown = machines
    .filter(({ createdMs }) => createdMs < 0)
    .toSorted((one, other) => one.createdMs - other.createdMs);
  return grown.flatMap(({ name }, index) => {
    const inDump = names[key]?.[index];
    return inDump === undefined || inDump === name ? [] : [[name, inDump] as const];
  });
}
