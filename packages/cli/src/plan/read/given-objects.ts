import {
  type AsoObject,
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type CustomKind,
  type Frozen,
  isJsonObject,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import { CommandError } from "../../command-error.ts";
import type { GivenObject } from "./read-objects.ts";

/** The objects that a plan is made from. */
export interface PlanObjects {
  readonly pools: readonly Frozen<AzureMachinePool>[];
  /** Those of AzureMachinePools; `managedMachinePools` are those of AKS. */
  readonly machinePools: readonly Frozen<MachinePool>[];
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
  readonly deployments: readonly Frozen<MachineDeployment>[];
  readonly sets: readonly Frozen<MachineSet>[];
  /** The Machines of MachineSets and control planes; `machines` are those of pools. */
  readonly setMachines: readonly Frozen<Machine>[];
  readonly controlPlanes: readonly Frozen<KubeadmControlPlane>[];
  /** The templates whose machines boot from images of their nodes. */
  readonly azureTemplates: readonly Frozen<AzureMachineTemplate>[];
  readonly configs: readonly Frozen<KubeadmConfig>[];
  readonly clusters: readonly Frozen<Cluster>[];
  readonly azureClusters: readonly Frozen<AzureCluster>[];
  readonly managedControlPlanes: readonly Frozen<AzureManagedControlPlane>[];
  readonly managedPools: readonly Frozen<AzureManagedMachinePool>[];
  readonly managedMachinePools: readonly Frozen<MachinePool>[];
  /** The objects of Azure Service Operator, in any version. */
  readonly managedClusters: readonly Frozen<AsoObject>[];
  readonly agentPools: readonly Frozen<AsoObject>[];
}

/** No objects at all. */
export const NO_OBJECTS: PlanObjects = {
  pools: [],
  machinePools: [],
  machines: [],
  deployments: [],
  sets: [],
  setMachines: [],
  controlPlanes: [],
  azureTemplates: [],
  configs: [],
  clusters: [],
  azureClusters: [],
  managedControlPlanes: [],
  managedPools: [],
  managedMachinePools: [],
  managedClusters: [],
  agentPools: [],
};

/** The objects of files: those that a plan is made from, and the ignored ones. */
export interface GivenObjects extends PlanObjects {
  /** Ignored kinds that a user might expect to matter, with their number of objects. */
  readonly ignored: ReadonlyMap<string, number>;
  /** Templates that machines are made from, of any kind. */
  readonly templates: readonly GivenObject[];
}

const KINDS: readonly CustomKind[] = [
  AzureMachinePool,
  MachinePool,
  AzureMachinePoolMachine,
  MachineDeployment,
  MachineSet,
  Machine,
  KubeadmControlPlane,
  KubeadmConfig,
  Cluster,
  AzureCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
];

// Objects that usually accompany a pool in a folder of manifests and never affect a plan.
const BYSTANDERS: ReadonlySet<string> = new Set([
  "AzureManagedCluster",
  "AzureClusterIdentity",
  "Secret",
  "Namespace",
]);

// Fields that every object of the kind needs; servers refuse objects without them.
const NEEDED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  AzureMachinePool: [["spec", "template", "osDisk"]],
  MachinePool: [
    ["spec", "clusterName"],
    ["spec", "template", "spec", "infrastructureRef"],
  ],
  AzureMachinePoolMachine: [["spec", "providerID"]],
  MachineDeployment: [
    ["spec", "clusterName"],
    ["spec", "template", "spec", "infrastructureRef"],
  ],
  MachineSet: [
    ["spec", "clusterName"],
    ["spec", "template", "spec", "infrastructureRef"],
  ],
  Machine: [["spec", "clusterName"]],
  KubeadmControlPlane: [
    ["spec", "version"],
    ["spec", "machineTemplate", "spec", "infrastructureRef"],
  ],
  AzureManagedControlPlane: [
    ["spec", "location"],
    ["spec", "version"],
  ],
  AzureManagedMachinePool: [
    ["spec", "mode"],
    ["spec", "sku"],
  ],
};

/** Sorts objects by kind; here parsed input becomes typed. */
export function sortObjects(objects: readonly GivenObject[], namespace: string): GivenObjects {
  const known = new Map<string, GivenObject[]>(KINDS.map(({ kind }) => [kind, []]));
  const ignored = new Map<string, number>();
  const templates: GivenObject[] = [];
  for (const object of objects) {
    const definition = KINDS.find(({ kind, group }) => kind === object.kind && isOfGroup(object, group));
    if (isTemplate(object)) {
      templates.push(inNamespace(object, namespace));
      continue;
    }
    if (!definition && BYSTANDERS.has(object.kind)) continue;
    if (!definition) {
      ignored.set(object.kind, (ignored.get(object.kind) ?? 0) + 1);
      continue;
    }
    const placed = inNamespace(object, namespace);
    check(placed, definition);
    known.get(object.kind)?.push(placed);
  }
  const all = <T extends KubernetesObject>({ kind }: CustomKind<T>): T[] =>
    unique(known.get(kind) ?? []) as unknown as T[];
  return {
    pools: all(AzureMachinePool),
    machinePools: all(MachinePool).filter((one) => !isOfAks(one)),
    machines: all(AzureMachinePoolMachine),
    deployments: all(MachineDeployment),
    sets: all(MachineSet),
    setMachines: all(Machine),
    controlPlanes: all(KubeadmControlPlane),
    azureTemplates: unique(templates.filter(({ kind }) => kind === AzureMachineTemplate.kind)) as never,
    configs: all(KubeadmConfig),
    clusters: all(Cluster),
    azureClusters: all(AzureCluster),
    managedControlPlanes: all(AzureManagedControlPlane),
    managedPools: all(AzureManagedMachinePool),
    managedMachinePools: all(MachinePool).filter(isOfAks),
    managedClusters: all(ManagedCluster),
    agentPools: all(ManagedClustersAgentPool),
    ignored,
    templates,
  };
}

/** By the contract of providers, the kind of a template ends so. */
function isTemplate({ apiVersion, kind }: GivenObject): boolean {
  return kind.endsWith("Template") && apiVersion.includes("cluster.x-k8s.io/");
}

function inNamespace(object: GivenObject, namespace: string): GivenObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? namespace } };
}

function isOfAks({ spec }: Frozen<MachinePool>): boolean {
  return spec.template.spec.infrastructureRef.kind === AzureManagedMachinePool.kind;
}

function isOfGroup({ apiVersion }: GivenObject, group: string): boolean {
  return apiVersion.slice(0, apiVersion.indexOf("/")) === group;
}

/** How messages refer to an object. */
export function titleOf({
  kind,
  metadata,
}: {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): string {
  return `${kind} ${metadata.namespace ?? "default"}/${metadata.name}`;
}

function check(object: GivenObject, { apiVersion, kind, group, alsoServed }: CustomKind): void {
  const versions = [apiVersion, ...alsoServed.map((version) => `${group}/${version}`)];
  if (!versions.includes(object.apiVersion) && !isAso(group)) {
    throw new CommandError(
      `${titleOf(object)} has apiVersion ${object.apiVersion}; only ${apiVersion} is understood`,
    );
  }
  for (const path of NEEDED[kind] ?? []) {
    if (valueAt(object, path) === undefined) {
      throw new CommandError(
        `${titleOf(object)} has no ${path.join(".")}, which is required${hintFor(object)}`,
      );
    }
  }
}

/** Dumps for rehearsals may be shortened: a fleet grows from the specs of those that users own. */
function hintFor(object: GivenObject): string {
  const spec = object["spec"];
  const isStored = valueAt(object, ["metadata", "creationTimestamp"]) !== undefined;
  const isShortened = isStored && isJsonObject(spec) && Object.keys(spec).length === 0;
  return isShortened ? "; its spec is empty: capstan rehearse --from takes such dumps" : "";
}

/** A newer Azure Service Operator serves versions that this release does not know, with the same fields. */
function isAso(group: string): boolean {
  return group === ManagedCluster.group;
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, field) => (isJsonObject(value) ? value[field] : undefined), object);
}

/** Refuses two objects of one name, because either could be meant. */
function unique(objects: readonly GivenObject[]): readonly GivenObject[] {
  const titles = new Set<string>();
  for (const object of objects) {
    const title = titleOf(object);
    if (titles.has(title)) throw new CommandError(`${title} is given twice; leave one of them out`);
    titles.add(title);
  }
  return objects;
}
