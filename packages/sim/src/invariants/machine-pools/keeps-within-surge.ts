import type { Call } from "../../world/call.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { isCanarySet } from "../canary-set.ts";
import { LimitLookup } from "./limits.ts";
import { PoolLookup } from "./pool-lookup.ts";

/** I2, and one write of the set at a time: a second one would preempt the first. */
export const keepsWithinSurge: Invariant = {
  name: "keeps-within-surge",
  says: "a scale set never gets a capacity above replicas plus maxSurge, and no write while another write of it runs",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    const limits = new LimitLookup(truth);
    return {
      happened: (event) => {
        limits.happened(event);
        return undefined;
      },
      called: (call, atMs) => {
        if (!isSetWrite(call)) return undefined;
        if (isCanarySet(call.name)) return tooLarge(call);
        const record = poolLookup.poolNamed(call.name);
        if (!record) return `${call.by} writes scale set ${call.name}, which no pool has`;
        const running = writeOf(truth, call.name);
        if (running !== undefined) {
          return `${call.by} writes scale set ${call.name} while ${running} still runs`;
        }
        if (call.capacity === undefined || record.isExternallyScaled) return undefined;
        const { ceiling } = limits.since(record, atMs);
        const before = setNamed(truth, call.name)?.capacity ?? 0;
        if (call.capacity <= Math.max(ceiling, before)) return undefined;
        return `${call.by} sets the capacity of ${call.name} to ${call.capacity}, which may be at most ${ceiling}`;
      },
    };
  },
};

function isSetWrite({ api, verb, resource }: Call): boolean {
  return api === "arm" && resource === "virtualMachineScaleSets" && (verb === "PUT" || verb === "PATCH");
}

function setNamed(
  truth: Truth,
  name: string,
): { readonly id: string; readonly capacity: number } | undefined {
  for (const [, set] of truth.azure.core.world.scaleSets.sets.entries()) {
    if (set.id.toLowerCase().endsWith(`/${name.toLowerCase()}`)) return set;
  }
  return undefined;
}

function writeOf(truth: Truth, name: string): string | undefined {
  const set = setNamed(truth, name);
  const { operations, resources } = truth.azure.core.world;
  const id = set && resources.get(set.id)?.operation;
  const operation = id === undefined ? undefined : operations.get(id);
  return operation?.status === "InProgress" &&
    operation.name.startsWith("P") &&
    !operation.name.startsWith("POST")
    ? operation.name
    : undefined;
}

function tooLarge({ by, name, capacity = 1 }: Call): string | undefined {
  return capacity === 1 ? undefined : `${by} gives the canary ${name} ${capacity} machines`;
}
