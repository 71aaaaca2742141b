import { Cluster, CLUSTER_NAME_LABEL } from "@capstan/api";
import { machineLabel } from "../../machine-id.ts";
import type { Invariant } from "../invariant.ts";
import { Commits } from "../machine-pools/commits.ts";
import { hasDonor, type ImageOwner, isOwnerResource, ownersIn } from "./image-owners.ts";

const MINUTE_MS = 60_000;
// The deadline of each step of a renewal, and the time that a manager is away after a crash.
const MOST_STOPPED_MS = 60 * MINUTE_MS;
// The shortest wait after a renewal that failed; a timestamp in a status has whole seconds.
const SHORTEST_BACKOFF_MS = 10 * MINUTE_MS - 1000;
const STOP = /\/virtualmachines\/[^/]+\/poweroff$/i;

/** I1 and I10. */
export const donorComesBack: Invariant = {
  name: "donor-comes-back",
  says: "a machine that a manager has stopped for its image runs again within an hour, whatever is paused, switched off or deleted; at rest no Node of a donor is cordoned",
  watch: (truth) => {
    const stoppedMs = new Map<string, number>();
    return {
      called: (call, atMs) => {
        const path = (call.path ?? "").toLowerCase();
        if (call.api === "arm" && STOP.test(path)) stoppedMs.set(path.replace(/\/poweroff$/, ""), atMs);
        return undefined;
      },
      happened: ({ atMs }) => {
        for (const [machineId, sinceMs] of stoppedMs) {
          const record = truth.azure.core.world.machines.record(machineId);
          if (!record || (record.power === "running" && atMs - sinceMs > MINUTE_MS))
            stoppedMs.delete(machineId);
          else if (atMs - sinceMs > MOST_STOPPED_MS)
            return `${machineLabel(machineId)} was stopped for its image ${Math.round((atMs - sinceMs) / MINUTE_MS)} minutes ago and does not run`;
        }
        return undefined;
      },
      atRest: () => {
        const held = ownersIn(truth).find(hasDonor);
        if (held) return `the world is at rest, and ${held.metadata.name} still holds a donor`;
        const [stopped] = stoppedMs.keys();
        const power = stopped && truth.azure.core.world.machines.record(stopped)?.power;
        return power === "stopped" ? `${machineLabel(stopped ?? "")} is stopped at rest` : undefined;
      },
    };
  },
};

/** I3. */
export const oneDonor: Invariant = {
  name: "one-donor",
  says: "at most one machine of a Cluster is the donor of an image at any time",
  watch: (truth) => {
    const commits = new Commits(truth);
    return {
      happened: (event) => {
        if (!commits.of(event).some(({ resource }) => isOwnerResource(resource))) return undefined;
        const byCluster = Map.groupBy(ownersIn(truth).filter(hasDonor), clusterOf);
        const crowded = [...byCluster].find(([, owners]) => owners.length > 1);
        return (
          crowded && `${crowded[1].map(({ metadata }) => metadata.name).join(" and ")} both have a donor`
        );
      },
    };
  },
};

function clusterOf({ metadata }: ImageOwner): string {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === Cluster.kind);
  return `${metadata.namespace}/${metadata.labels?.[CLUSTER_NAME_LABEL] ?? owner?.name}`;
}

/** I9. */
export const backsOff: Invariant = {
  name: "backs-off",
  says: "after a renewal that failed, the next one of a pool begins ten minutes later at the earliest, unless a user asks for it",
  watch: (truth) => {
    const commits = new Commits(truth);
    const failedMs = new Map<string, number>();
    return {
      happened: (event) => {
        // The end of the wait is a time of the manager's clock.
        if (event.happening.kind === "fault" && event.happening.fault === "clock-jump") failedMs.clear();
        for (const { resource, object, previous } of commits.of(event)) {
          if (!isOwnerResource(resource)) continue;
          const [after, before] = [recordOf(object), recordOf(previous)];
          const name = `${resource}/${object.metadata.name}`;
          if (hasFailed(after, before)) failedMs.set(name, event.atMs);
          const sinceMs = event.atMs - (failedMs.get(name) ?? -Infinity);
          if (begins(after, before) && sinceMs < SHORTEST_BACKOFF_MS)
            return `${name} begins a renewal ${Math.round(sinceMs / 1000)} s after one that failed`;
        }
        return undefined;
      },
    };
  },
};

type PrototypeRecord = ReturnType<typeof recordOf>;

function hasFailed(after: PrototypeRecord, before: PrototypeRecord): boolean {
  const isOver = after?.phase === "Idle" && before?.phase === "Aborting";
  return isOver && after.consecutiveFailures !== undefined;
}

/** Whether a renewal begins that no user asks for. */
function begins(after: PrototypeRecord, before: PrototypeRecord): boolean {
  const isStart = after?.phase === "Protecting" && before?.phase !== "Protecting";
  return isStart && after.observedTrigger === before?.observedTrigger;
}

function recordOf(object: unknown) {
  return (object as ImageOwner | undefined)?.status?.nodePrototyping;
}
