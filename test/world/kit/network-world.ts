import {
  AzureCluster,
  AzureClusterIdentity,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  ownerReferenceTo,
  type Secret,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { Azure, cloudNamed, type TokenSource } from "@capstan/azure";
import { azureClusterReconciler } from "../../../packages/manager/src/reconcilers/azurecluster/reconciler.ts";
import { Sensitive } from "@capstan/runtime";
import {
  azureCluster,
  azureClusterIdentity,
  cluster,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { createWorld, type ManagerConnections, type World, type WorldOptions } from "@capstan/sim";
import { RegionSizes } from "../../../packages/azure/src/region-sizes.ts";

/** Where clusters are built. */
export const NAMESPACE = "default";
export const LOCATION = "westeurope";
export const SUBSCRIPTION = `/subscriptions/${DEFAULT_SUBSCRIPTION}`;

/** The id of a resource in a group. */
export function idIn(group: string, path = ""): string {
  const id = `${SUBSCRIPTION}/resourceGroups/${group}`;
  return path === "" ? id : `${id}/providers/Microsoft.Network/${path}`;
}

/** The controllers of a world with clusters only. */
export function controllers(world: () => World): WorldOptions["controllers"] {
  return (connections) => [azureClusterReconciler(portsOf(connections, world))];
}

function portsOf(
  connections: ManagerConnections,
  world: () => World,
): Parameters<typeof azureClusterReconciler>[0] {
  const azure = new Azure({
    env: connections.env,
    cloud: cloudNamed(),
    connect: () => connections.azure,
    readSecret: () => Promise.resolve(secret()),
    readFile: () => Promise.reject(new Error("there are no files")),
    namespaceLabels: () => Promise.resolve({}),
  });
  const tokens: TokenSource = {
    principal: DEFAULT_PRINCIPAL.clientId,
    token: () => Promise.resolve(new Sensitive(world().azure.issueToken().token)),
    forget: () => undefined,
  };
  return {
    clock: connections.env.clock,
    azure: {
      armFor: async (request) => {
        await azure.armFor(request);
        return azure.armWith(tokens, request.controller);
      },
    },
    defaultArm: (controller) => Promise.resolve(azure.armWith(tokens, controller)),
    defaultSubscriptionID: DEFAULT_SUBSCRIPTION,
    regionSizes: new RegionSizes(connections.env.clock),
  };
}

function secret(): Secret {
  const data = { clientSecret: Buffer.from(DEFAULT_PRINCIPAL.clientSecret ?? "").toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "identity", namespace: NAMESPACE }, data };
}

/** A world in which clusters can be created. */
export async function networkWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const made: { world?: World } = {};
  const current = (): World => {
    if (!made.world) throw new Error("the world is not made yet");
    return made.world;
  };
  made.world = await createWorld({ seed: "1", controllers: controllers(current), ...options });
  return made.world;
}

/** Creates the identity that clusters use. */
export async function createIdentity(
  world: World,
  allowedNamespaces: AzureClusterIdentity["spec"]["allowedNamespaces"] = {},
): Promise<void> {
  const identity = azureClusterIdentity({
    spec: {
      type: "ServicePrincipal",
      tenantID: DEFAULT_PRINCIPAL.tenantId,
      clientID: DEFAULT_PRINCIPAL.clientId,
      clientSecret: { name: "identity" },
      ...(allowedNamespaces && { allowedNamespaces }),
    },
  });
  await world.run(world.user.create(AzureClusterIdentity, identity));
}

/** Creates a Cluster and the AzureCluster that it refers to. */
export async function createCluster(
  world: World,
  name: string,
  spec: Overrides<AzureCluster["spec"]> = {},
): Promise<void> {
  const owner = await world.run(
    world.user.create(
      Cluster,
      cluster({
        metadata: { name },
        spec: { infrastructureRef: { apiGroup: AzureCluster.group, kind: AzureCluster.kind, name } },
      }),
    ),
  );
  const { apiVersion, kind, metadata } = owner;
  await world.run(
    world.user.create(
      AzureCluster,
      azureCluster(
        {
          metadata: {
            name,
            labels: { [CLUSTER_NAME_LABEL]: name },
            ownerReferences: [ownerReferenceTo({ apiVersion, kind, metadata })],
          },
          spec: { networkSpec: { nodeOutboundLB: { frontendIPsCount: 1 } } },
        },
        { spec },
      ),
    ),
  );
}

/** Reads a cluster. */
export function clusterIn(world: World, name: string): Promise<Frozen<AzureCluster>> {
  return world.run(world.user.get(AzureCluster, { name, namespace: NAMESPACE }));
}

/** Changes the spec of a cluster. */
export async function changeCluster(world: World, name: string, body: object): Promise<void> {
  await world.run(world.user.patch(AzureCluster, { name, namespace: NAMESPACE }, { type: "merge", body }));
}

/** Deletes a cluster. */
export async function deleteCluster(world: World, name: string): Promise<void> {
  await world.run(world.user.delete(AzureCluster, { name, namespace: NAMESPACE }));
}

/** A world with one built cluster. */
export async function settledWith(
  name: string,
  spec: Overrides<AzureCluster["spec"]> = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const world = await networkWorld(options);
  await createIdentity(world);
  await createCluster(world, name, spec);
  world.start();
  await world.settle();
  return world;
}

/** The group, type and name of all resources in Azure, with their state. */
export function resourcesIn(world: World): readonly string[] {
  return world.azure.control
    .state()
    .resources.map(({ id, state }) => {
      const path = id.slice(`${SUBSCRIPTION}/resourceGroups/`.length);
      return `${path.replace("/providers/Microsoft.Network", "")} ${state}`;
    })
    .toSorted();
}

/** A resource as it was last written. */
export function bodyOf(world: World, id: string): Readonly<Record<string, unknown>> {
  return world.azure.core.world.resources.get(id)?.body ?? {};
}

/** The tags of a resource. */
export function tagsOf(world: World, id: string): Readonly<Record<string, unknown>> {
  return (bodyOf(world, id)["tags"] ?? {}) as Readonly<Record<string, unknown>>;
}

/** A user changes something in the portal, and Azure completes it. */
export async function portal(world: World, method: string, id: string, body?: object): Promise<void> {
  const { status } = await world.arm(method, `${id}?api-version=2024-05-01`, body);
  if (status >= 300) throw new Error(`${method} ${id} was answered with ${status}`);
  await world.until(() => world.azure.control.state().runningOperations.length === 0, 60_000);
}

/** The managers' requests to Azure, with polls counted as one. */
export function armCalls(world: World): Readonly<Record<string, number>> {
  const calls: Record<string, number> = {};
  for (const { actor, happening } of world.trace.events) {
    if (happening.kind !== "arm" || !actor.startsWith("manager")) continue;
    const key = happening.operation.includes("/locations/") ? "POLL" : happening.operation;
    calls[key] = (calls[key] ?? 0) + 1;
  }
  return calls;
}
