import type { KubernetesObject } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import type { TimedClaims } from "../scenario/claims.ts";
import type { Action, Machines } from "../scenario/step.ts";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { instanceMachineId } from "../machine-id.ts";
import type { World } from "../world/world.ts";
import { Deployment } from "../workloads/workload-kinds.ts";
import { drain, setUnschedulable } from "./drain.ts";
import { problemsWith } from "./hold.ts";
import { logicalClusterNamed } from "./logical-cluster.ts";
import { createScaleSet, resize, scaleSetId } from "./scale-set.ts";
import { armOk, StepError } from "./step-error.ts";

type MachineAction = Extract<Action, { readonly do: "machine" }>["action"];

type Performers = {
  readonly [D in Action["do"]]: (
    world: World,
    action: Extract<Action, { readonly do: D }>,
    run: StepLimits,
  ) => Promise<void>;
};

/** The limits of every step. */
export interface StepLimits {
  /** The virtual time left for the whole run. */
  readonly leftMs: () => number;
}

/** Carries out a step. */
export async function perform(world: World, action: Action, limits: StepLimits): Promise<void> {
  const performer = PERFORMERS[action.do] as (
    world: World,
    action: Action,
    limits: StepLimits,
  ) => Promise<void>;
  await performer(world, action, limits);
}

const MANAGEMENT = "management";
const DRAIN_MS = 30 * 60_000;

const PERFORMERS: Performers = {
  apply: async (world, { cluster, objects }) => {
    const client = clientOf(world, cluster);
    for (const { kind, object } of objects) await world.run(apply(client, kind, object));
  },
  patch: async (world, { cluster, kind, merge, ...name }) => {
    await world.run(clientOf(world, cluster).patch(kind, name, { type: "merge", body: merge }));
  },
  delete: async (world, { cluster, kind, ...name }) => {
    await world.run(clientOf(world, cluster).delete(kind, name));
  },
  createScaleSet: (world, set) => createScaleSet(world, set),
  resize: (world, { scaleSet, to }) => resize(world, scaleSet, to),
  deleteScaleSet: (world, { name }) => armOk(world, { method: "DELETE", path: scaleSetId(name) }),
  deploy: (world, action) => deploy(world, action),
  machine: async (world, { action, ...machines }) => {
    await toMachines(world, machines, action);
  },
  drain: async (world, { withinMs = DRAIN_MS, ...machines }) => {
    for (const { client, name } of nodesOf(world, machines)) await drain(world, client, { name, withinMs });
  },
  uncordon: async (world, machines) => {
    for (const { client, name } of nodesOf(world, machines)) {
      await setUnschedulable(world, client, { name, is: false });
    }
  },
  wait: (world, { ms }) => world.advance(ms),
  until: (world, claims, { leftMs }) => waitFor(world, claims, leftMs()),
  fault: (world, { fault }) => Promise.resolve(world.addFault(fault)),
  heal: (world, { faults }) => world.heal(faults),
  crash: (world, { manager, forMs }) => Promise.resolve(world.managers.crash(manager, forMs)),
  stall: (world, { manager, forMs }) => Promise.resolve(world.managers.stall(manager, forMs)),
};

function clientOf(world: World, cluster: string): Client {
  const client = cluster === MANAGEMENT ? world.user : world.workload(logicalClusterNamed(world, cluster));
  if (!client) throw new StepError(`cluster ${cluster} does not exist`);
  return client;
}

/** As kubectl apply, for objects without other writers: creates or updates. */
async function apply(
  client: Client,
  kind: Parameters<Client["get"]>[0],
  object: KubernetesObject,
): Promise<void> {
  const found = await client.find(kind, object.metadata);
  if (found) await client.patch(kind, object.metadata, { type: "merge", body: object });
  else await client.create(kind, object);
}

async function deploy(world: World, action: Extract<Action, { readonly do: "deploy" }>): Promise<void> {
  const { name, cluster, replicas, image, budget } = action;
  const client = clientOf(world, cluster);
  const metadata = { name, namespace: "default" };
  const labels = { app: name };
  const containers = [{ name: "main", image }];
  await world.run(
    client.create(Deployment, {
      metadata,
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    }),
  );
  if (!budget) return;
  const spec = { ...budget, selector: { matchLabels: labels } };
  await world.run(client.create(PodDisruptionBudget, { metadata, spec }));
}

/** Runs until the claims hold; checks them again only after a new event. */
async function waitFor(world: World, { withinMs, ...claims }: TimedClaims, leftMs: number): Promise<void> {
  let seen = -1;
  let holds = false;
  const look = (): boolean => {
    const { length } = world.trace.events;
    if (length !== seen) holds = problemsWith(world, claims).length === 0;
    seen = length;
    return holds;
  };
  if (await world.until(look, Math.min(withinMs ?? leftMs, leftMs))) return;
  throw new StepError(`timed out: ${problemsWith(world, claims).join("; ")}`);
}

interface NamedNode {
  readonly client: Client;
  readonly name: string;
}

function nodesOf(world: World, machines: Machines): NamedNode[] {
  return instancesOf(world, machines).map((instance) => {
    const found = world.truth.node(instanceMachineId(scaleSetId(machines.scaleSet), instance));
    if (!found) throw new StepError(`machine ${instance} of ${machines.scaleSet} is not a node`);
    return { client: clientOf(world, found.cluster), name: found.node.metadata.name };
  });
}

function instancesOf(world: World, { scaleSet, instances }: Machines): readonly string[] {
  if (instances !== "all") return instances;
  return [...world.azure.core.world.scaleSets.members(scaleSetId(scaleSet)).keys()].map(String);
}

const ACTIONS: Readonly<Record<Exclude<MachineAction, "evict">, string>> = {
  delete: "delete",
  stop: "powerOff",
  start: "start",
  restart: "restart",
  reimage: "reimage",
};

async function toMachines(world: World, machines: Machines, action: MachineAction): Promise<void> {
  const id = scaleSetId(machines.scaleSet);
  const instanceIds = instancesOf(world, machines);
  if (action !== "evict") {
    await armOk(world, { method: "POST", path: `${id}/${ACTIONS[action]}`, body: { instanceIds } });
    return;
  }
  for (const instance of instanceIds) {
    const { status } = world.azure.control.evict(`${id}/virtualMachines/${instance}`);
    world.noteJournal("azure");
    if (status >= 400)
      throw new StepError(`machine ${instance} of ${machines.scaleSet} cannot be evicted: is it spot?`);
  }
}
