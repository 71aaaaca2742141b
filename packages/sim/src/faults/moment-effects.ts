import { type Frozen, Node } from "@capstan/api";
import type { Machine } from "@capstan/azure-sim";
import type { Rng } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { lastPart, machineLabel } from "../machine-id.ts";
import { isReady } from "../readiness.ts";
import { PodDisruptionBudget } from "@capstan/apiserver";
import type { Effect } from "./effect.ts";
import type { Reach } from "./reach.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
// Slightly longer than the pause before a restart: the next crash hits a manager that has just started.
const CRASH_AGAIN_MS = 12_000;
const LOCK = "simulated-lock";
const BUDGET = { name: "simulated-standstill", namespace: "default" };

/** Picks a running machine. */
function anyMachine({ azure }: Reach, rng: Rng): Machine | undefined {
  const running = [...azure.core.world.machines.records()].filter(({ power }) => power === "running");
  return running.length === 0 ? undefined : azure.core.machine(rng.pick(running).machineId);
}

/** A fault that hits a machine: an operator acts in the portal, or Azure does. */
function toMachine(what: string, act: (reach: Reach, id: string) => void): Effect {
  return {
    on: "moment",
    strike: (reach, rng) => {
      const machine = anyMachine(reach, rng);
      if (!machine) return Promise.resolve(undefined);
      act(reach, machine.id);
      return Promise.resolve(`${what} ${machineLabel(machine.id.toLowerCase())}`);
    },
  };
}

/** Writes the health that a Node's kubelet reports, regardless of its machine. */
async function report(client: Client, node: Frozen<Node>, isHealthy: boolean): Promise<void> {
  const conditions = (node.status?.conditions ?? []).map((condition) =>
    condition.type === "Ready"
      ? {
          ...condition,
          status: isHealthy ? "True" : "False",
          reason: isHealthy ? "KubeletReady" : "KubeletNotReady",
        }
      : condition,
  );
  await client.patch(Node, node.metadata, {
    type: "merge",
    subresource: "status",
    body: { status: { conditions } },
  });
}

function unhealthyNode(backAfterMs: (rng: Rng) => number | undefined): Effect {
  return {
    on: "moment",
    strike: async (reach, rng) => {
      if (reach.workloads.size === 0) return undefined;
      const [cluster, client] = rng.pick([...reach.workloads.entries()]);
      const ready = (await client.list(Node)).filter((node) => isReady(node));
      if (ready.length === 0) return undefined;
      const node = rng.pick(ready);
      await report(client, node, false);
      const afterMs = backAfterMs(rng);
      if (afterMs !== undefined) reach.later(afterMs, () => healNode(client, node.metadata.name));
      return `node ${node.metadata.name} of ${cluster} reports that it is not ready`;
    },
    heal: async ({ workloads }) => {
      for (const client of workloads.values()) {
        for (const node of await client.list(Node)) await healNode(client, node.metadata.name);
      }
    },
  };
}

/** Only a running kubelet corrects its report; a stopped one recovers with its machine. */
async function healNode(client: Client, name: string): Promise<void> {
  const node = await client.find(Node, { name });
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready");
  if (node && ready?.reason === "KubeletNotReady") await report(client, node, true);
}

/** Faults at moments of their own, by name in the catalogue. */
export const MOMENT_EFFECTS: Readonly<Record<string, Effect>> = {
  "clock-jump": {
    on: "moment",
    strike: (reach, rng) => {
      const managers = reach.managers();
      if (managers.length === 0) return Promise.resolve(undefined);
      const process = rng.pick(managers);
      const byMs = rng.pick([-HOUR_MS, HOUR_MS, YEAR_MS]);
      process.jumpWallClock(byMs);
      return Promise.resolve(`the clock of ${process.name} jumps by ${byMs / HOUR_MS} h`);
    },
  },
  "crash-loop": {
    on: "moment",
    strike: (reach, rng) => {
      if (reach.managers().length === 0) return Promise.resolve(undefined);
      const crash = (): Promise<void> => {
        const managers = reach.managers();
        if (managers.length > 0) rng.pick(managers).crash();
        return Promise.resolve();
      };
      for (const afterMs of [1, CRASH_AGAIN_MS, 2 * CRASH_AGAIN_MS]) reach.later(afterMs, crash);
      return Promise.resolve("a manager dies three times in a row");
    },
  },
  "arm-read-lag": {
    on: "moment",
    strike: ({ azure }) => {
      // Twice Azure's recorded median and the recorded tail: one read in a hundred lags ten seconds.
      azure.control.setConsistencyLag({ p50: 2, p90: 5 });
      return Promise.resolve("reads of Azure lag behind its writes");
    },
    heal: ({ azure }) => {
      azure.control.setConsistencyLag(undefined);
      return Promise.resolve();
    },
  },
  "node-never-joins": {
    on: "moment",
    strike: ({ guests }) => {
      guests.spoilNext();
      return Promise.resolve("the next machine that boots will not become a node");
    },
    heal: ({ guests }) => {
      guests.spoilNone();
      return Promise.resolve();
    },
  },
  "user-edit": {
    on: "moment",
    strike: ({ edit }, rng) => edit(rng),
  },
  "instance-deleted": toMachine("an operator deletes machine", ({ azure }, id) =>
    azure.control.deleteResource(id),
  ),
  "instance-stopped": toMachine("an operator stops machine", ({ azure }, id) =>
    azure.control.stopMachine(id),
  ),
  "spot-eviction": toMachine("Azure evicts machine", ({ azure }, id) => azure.control.evict(id)),
  "scope-lock": {
    on: "moment",
    strike: ({ azure }, rng) => {
      const ids = azure.control.state().scaleSets.map(({ id }) => id);
      if (ids.length === 0) return Promise.resolve(undefined);
      const scope = rng.pick(ids);
      azure.control.forbid({ name: LOCK, scope, kind: "CanNotDelete" });
      return Promise.resolve(`an administrator locks scale set ${lastPart(scope)}`);
    },
    heal: ({ azure }) => {
      azure.control.allow(LOCK);
      return Promise.resolve();
    },
  },
  "node-not-ready": unhealthyNode(() => undefined),
  "node-flaps": unhealthyNode((rng) => 5_000 + rng.below(55_000)),
  "pdb-blocks": {
    on: "moment",
    strike: async ({ workloads }) => {
      for (const client of workloads.values()) {
        const found = await client.find(PodDisruptionBudget, BUDGET);
        if (!found)
          await client.create(PodDisruptionBudget, {
            metadata: BUDGET,
            spec: { minAvailable: "100%", selector: {} },
          });
      }
      return workloads.size === 0 ? undefined : "a budget allows no pod to go";
    },
    heal: async ({ workloads }) => {
      for (const client of workloads.values()) {
        if (await client.find(PodDisruptionBudget, BUDGET)) await client.delete(PodDisruptionBudget, BUDGET);
      }
    },
  },
};
