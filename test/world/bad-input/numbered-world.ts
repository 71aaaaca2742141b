import {
  AzureCluster,
  Cluster,
  type Condition,
  customKinds,
  type Kind,
  type KubernetesObject,
  olderConditionsOf,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import { Runner } from "@capstan/runtime";
import {
  type Controllers,
  createWorld,
  type ManagerConnections,
  type World,
  type WorldOptions,
} from "@capstan/sim";
import { createCluster, createIdentity, get } from "../kit/fleet-world.ts";

/** Changes an answer of Azure on its way to a manager, or passes it on. */
export type Twist = (request: HttpRequest, answer: HttpResponse) => Promise<HttpResponse>;

/** The product's controllers behind a filter of Azure's answers, once it is set. */
export function twisted(twist: { now?: Twist }): Controllers {
  return (connections) => {
    const request: ManagerConnections["azure"]["request"] = async (sent) => {
      const answer = await connections.azure.request(sent);
      return twist.now ? twist.now(sent, answer) : answer;
    };
    return simulatedControllers({ ...connections, azure: { ...connections.azure, request } });
  };
}

/** A manager behind a filter of Kubernetes' answers; the cluster `demo` is ready. */
export async function worldBehind(twist: Twist): Promise<{ readonly world: World; readonly runner: Runner }> {
  const managerConnections: ManagerConnections[] = [];
  const world = await preparedWorld({
    controllers: (connections) => {
      managerConnections.push(connections);
      return [];
    },
  });
  world.start();
  const [connections] = managerConnections;
  if (!connections) throw new Error("no manager was started");
  const request: ManagerConnections["kube"]["request"] = async (sent) =>
    twist(sent, await connections.kube.request(sent));
  const kube = { ...connections.kube, request };
  const reconcilers = simulatedControllers({ ...connections, kube });
  const { env, log } = connections;
  const runner = new Runner({ env, log, transport: kube, name: "capstan", reconcilers });
  await createCluster(world, "demo");
  await world.run(runner.start());
  await world.settle();
  return { world, runner };
}

/** The same answer with another body. */
export async function withBody(
  answer: HttpResponse,
  change: (text: string) => string,
): Promise<HttpResponse> {
  const text = change(await answer.text());
  return { ...answer, text: () => Promise.resolve(text), json: () => Promise.resolve(JSON.parse(text)) };
}

/** A world with the identity of the examples; nothing runs yet. */
export async function preparedWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers, ...options });
  await createIdentity(world);
  return world;
}

/** A world in which the cluster `demo` of the examples is ready. */
export async function settledWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await preparedWorld(options);
  await createCluster(world, "demo");
  world.start();
  await world.settle();
  return world;
}

/** A condition in one line: status, reason and message. */
export async function conditionOf(
  world: World,
  type: string,
  kind: Kind = AzureCluster,
  name = "demo",
): Promise<string> {
  const object = (await get(world, kind, name)) as KubernetesObject & {
    status?: { conditions?: readonly Condition[] };
  };
  const found = olderConditionsOf(object)?.find((condition) => condition.type === type);
  return found ? `${found.status} ${found.reason}: ${found.message ?? ""}` : "none";
}

/** Whether the Cluster and its network are ready. */
export async function readiness(world: World, name = "demo"): Promise<string> {
  const states = [
    await conditionOf(world, "Ready", Cluster, name),
    await conditionOf(world, "Ready", AzureCluster, name),
  ];
  return states.map((state) => state.split(" ", 1)[0]).join(" ");
}

/** The managers' requests to Azure since a moment, as method and path, without polls and token requests. */
export function askedOfAzure(world: World, sinceMs = 0): readonly string[] {
  return world.trace.events.flatMap(({ actor, atMs, happening }) =>
    happening.kind === "arm" && actor.startsWith("manager") && atMs >= sinceMs && !isAside(happening.path)
      ? [`${happening.method} ${happening.path}`]
      : [],
  );
}

function isAside(path: string): boolean {
  return path.includes("/oauth2/") || path.includes("/locations/");
}

/** All resources in Azure, byte for byte. */
export function azureBytes(world: World): string {
  return JSON.stringify(
    [...world.azure.core.world.resources.table.entries()].map(([key, { body }]) => [key, body]),
  );
}

/** Removes all objects at once, without their finalizers. */
export async function forgetAll(world: World): Promise<void> {
  for (const manager of world.managers.running()) manager.process.stall(1000);
  for (const kind of customKinds) {
    for (const { metadata } of await world.run(world.user.list(kind))) {
      await world.run(
        world.user.patch(kind, metadata, { type: "merge", body: { metadata: { finalizers: null } } }),
      );
      await world.run(world.user.delete(kind, metadata)).catch(() => undefined);
    }
  }
}
