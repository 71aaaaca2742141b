/** Whether a virtual machine can take another size and stay the machine that it is, by what Azure says about both sizes. Pure. */
import type { OfferedSize, Region, VirtualMachine } from "@capstan/azure";
import { sizeProblem } from "../../virtual-machine/size-problem.ts";

/** How much of a quota is in use. */
export interface QuotaUse {
  /** The name of a series of sizes, `cores` for all of them, or `lowPriorityCores`. */
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

/** A size that a virtual machine should get. */
export interface SizeQuestion {
  readonly machine: VirtualMachine;
  readonly size: string;
  readonly region: Region;
  /** The sizes that the machine can take where it is, in lower case. */
  readonly sizesHere: ReadonlySet<string>;
  readonly quotas: readonly QuotaUse[];
}

const FIELD = "infraMachine.spec.vmSize";

/** Why the machine cannot take the size, and what can be done instead; undefined if it can. */
export function sizeRefusal(question: SizeQuestion): string | undefined {
  const { machine, size, region } = question;
  if (machine.hasEphemeralDisk)
    return `${FIELD}: ${machine.name} has an ephemeral OS disk, which another size would erase; replace the machine`;
  const { location, zones } = machine;
  const unsuitable = sizeProblem(region, {
    fields: { size: FIELD, zones: "the zone of the machine", disks: "the disks of the machine" },
    location,
    size,
    zones,
    needsUltraDisks: machine.usesUltraDisks,
    exists: false,
  });
  if (unsuitable !== undefined) return unsuitable;
  const [from, to] = [machine.size, size].map((name) => region.sizes.get(name.toLowerCase()));
  if (!to) return undefined;
  if (to.isRestricted === true)
    return `${FIELD}: the subscription may not use ${size} in ${location}; ask Azure's support for access, or use another size`;
  return (
    bootProblem(question, { from, to }) ?? placeProblem(question) ?? quotaProblem(question, { from, to })
  );
}

interface Sizes {
  /** Undefined if Azure offers the size of the machine no longer. */
  readonly from: OfferedSize | undefined;
  readonly to: OfferedSize;
}

/** What is on the disks of the machine must boot in the other size. */
function bootProblem({ machine, size }: SizeQuestion, { from, to }: Sizes): string | undefined {
  const [hasTempDisk, wantsTempDisk] = [from, to].map((one) => hasTempDiskIn(one));
  if (from && hasTempDisk !== wantsTempDisk) {
    const [with_, without] = hasTempDisk ? [machine.size, size] : [size, machine.size];
    return `${FIELD}: ${with_} has a temporary disk and ${without} has none, and Azure changes no machine from one to the other; use a size like ${machine.size} in this, or replace the machine`;
  }
  const controllers = listIn(to, "DiskControllerTypes", "SCSI");
  if (!controllers.includes(machine.diskController))
    return `${FIELD}: ${size} attaches disks by ${controllers.join(" or ")} only, and ${machine.name} was created for ${machine.diskController}; use a size with ${machine.diskController}, or replace the machine`;
  const [before, after] = [from, to].map((one) => one?.capabilities.get("CpuArchitectureType") ?? "x64");
  if (before !== after)
    return `${FIELD}: ${size} runs ${after}, and the disk of ${machine.name} has ${before}; use a size with ${before}, or replace the machine with another image`;
  return generationProblem({ machine, size }, { from, to });
}

/** A machine that does not report its generation must be able to boot in each one that its size has. */
function generationProblem(
  { machine, size }: Pick<SizeQuestion, "machine" | "size">,
  { from, to }: Sizes,
): string | undefined {
  const offered = listIn(to, "HyperVGenerations", "V1,V2");
  const needed =
    machine.generation === undefined
      ? from
        ? listIn(from, "HyperVGenerations", "V1,V2")
        : []
      : [machine.generation];
  const missing = needed.filter((one) => !offered.includes(one));
  if (missing.length === 0) return undefined;
  return `${FIELD}: ${size} boots hypervisor generation ${offered.join(" or ")}, and ${machine.name} may have ${missing.join(" or ")}; use a size with it, or replace the machine`;
}

/** Machines of an availability set share hardware, which one of them cannot leave alone. */
function placeProblem({ machine, size, sizesHere }: SizeQuestion): string | undefined {
  if (machine.availabilitySet === undefined || sizesHere.has(size.toLowerCase())) return undefined;
  const set = machine.availabilitySet.split("/").at(-1);
  return `${FIELD}: the hardware of availability set ${set} does not run ${size}, and all its machines would have to stop at once; use one of ${shown(sizesHere)}, or replace the machines`;
}

const MOST_SHOWN = 8;

function shown(sizes: ReadonlySet<string>): string {
  const some = [...sizes].slice(0, MOST_SHOWN).join(", ");
  return sizes.size > MOST_SHOWN ? `${some}, …` : some;
}

/** Azure counts the cores of deallocated machines too, so only the difference is needed. */
function quotaProblem({ machine, size, quotas }: SizeQuestion, { from, to }: Sizes): string | undefined {
  const [before, after] = [coresOf(from), coresOf(to)];
  const own = to.quotaName ?? "";
  const isSameQuota = from?.quotaName?.toLowerCase() === own.toLowerCase();
  const needs = machine.isSpot
    ? [{ quota: "lowPriorityCores", more: after - before }]
    : [
        { quota: "cores", more: after - before },
        { quota: own, more: isSameQuota ? after - before : after },
      ];
  for (const { quota, more } of needs) {
    const use = quotas.find(({ name }) => name.toLowerCase() === quota.toLowerCase());
    if (!use || more <= 0 || use.used + more <= use.limit) continue;
    return `${FIELD}: ${size} needs ${more} more cores of the quota ${use.name} in ${machine.location}, and ${use.used} of ${use.limit} are used; raise the quota, or use a smaller size`;
  }
  return undefined;
}

function coresOf(size: OfferedSize | undefined): number {
  const cores = Number(size?.capabilities.get("vCPUs") ?? 0);
  return Number.isFinite(cores) ? cores : 0;
}

function hasTempDiskIn(size: OfferedSize | undefined): boolean {
  return Number(size?.capabilities.get("MaxResourceVolumeMB") ?? 0) > 0;
}

function listIn({ capabilities }: OfferedSize, name: string, usual: string): readonly string[] {
  return (capabilities.get(name) ?? usual).split(",").map((one) => one.trim());
}
