/** Why a machine of a size would not work in a region, by Azure's own list of sizes. Pure. */
import type { OfferedSize, Region } from "@capstan/azure";

/** A machine or a scale set to create. */
export interface SizeQuestion {
  /** The field with the size, and those with zones and disks. */
  readonly fields: { readonly size: string; readonly zones: string; readonly disks: string };
  readonly location: string;
  readonly size: string;
  readonly zones: readonly string[];
  readonly needsUltraDisks: boolean;
  /** It exists: only what Kubernetes needs is judged, because Azure runs it where it is. */
  readonly exists: boolean;
}

// kubeadm refuses a machine with less.
const LEAST_CPUS = 2;
const LEAST_MEMORY_GB = 2;

/** The problem, with field, value and what would work; undefined if there is none or the list does not tell. */
export function sizeProblem(region: Region, asked: SizeQuestion): string | undefined {
  const offered = region.sizes.get(asked.size.toLowerCase());
  if (offered) return tooSmall(offered, asked) ?? (asked.exists ? undefined : misplaced(offered, asked));
  // Azure may take a size off the list while machines of it run.
  if (asked.exists || region.sizes.size === 0) return undefined;
  return `${asked.fields.size}: ${JSON.stringify(asked.size)} is not offered in ${asked.location}; \`az vm list-skus --location ${asked.location}\` has those that are`;
}

function tooSmall({ capabilities }: OfferedSize, { fields, size }: SizeQuestion): string | undefined {
  const cpus = Number(capabilities.get("vCPUs") ?? LEAST_CPUS);
  const memoryGB = Number(capabilities.get("MemoryGB") ?? LEAST_MEMORY_GB);
  if (cpus >= LEAST_CPUS && memoryGB >= LEAST_MEMORY_GB) return undefined;
  return `${fields.size}: ${size} has ${cpus} vCPU and ${memoryGB} GiB of memory, and kubeadm needs ${LEAST_CPUS} vCPUs and ${LEAST_MEMORY_GB} GiB; use a larger size`;
}

function misplaced(offered: OfferedSize, asked: SizeQuestion): string | undefined {
  const { fields, size, zones, location } = asked;
  const missing = zones.filter((zone) => !offered.zones.includes(zone));
  if (missing.length > 0)
    return `${fields.zones}: ${size} is not offered in zone ${missing.join(", ")} of ${location}, but ${listed(offered.zones)}`;
  return asked.needsUltraDisks ? withoutUltraDisks(offered, asked) : undefined;
}

function withoutUltraDisks(offered: OfferedSize, asked: SizeQuestion): string | undefined {
  const { fields, size, zones, location } = asked;
  const { ultraDiskZones } = offered;
  // Regions without zones say it of the size as a whole.
  if (zones.length === 0 && offered.capabilities.get("UltraSSDAvailable") === "True") return undefined;
  if (ultraDiskZones.length === 0)
    return `${fields.disks}: ${size} takes no ultra disks in ${location}; use another size, or another type of disk`;
  const others = zones.filter((zone) => !ultraDiskZones.includes(zone));
  if (zones.length > 0 && others.length === 0) return undefined;
  const where = zones.length === 0 ? "outside zones" : `in zone ${others.join(", ")}`;
  return `${fields.disks}: ${size} takes no ultra disks ${where} of ${location}, but ${listed(ultraDiskZones)}; set ${fields.zones}`;
}

function listed(zones: readonly string[]): string {
  return zones.length === 0 ? "only outside zones" : `in ${zones.join(", ")}`;
}
