import {
  AzureClusterIdentity,
  Cluster,
  isJsonObject,
  type KubernetesObject,
  PAUSED_ANNOTATION,
} from "@capstan/api";
import type { Fleet, WorkloadObjects } from "@capstan/sim";
import { CommandError } from "../../command-error.ts";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { counted } from "../../render/amounts.ts";
import { azureSettingsFor } from "./azure-settings.ts";
import { bootstrapSecret, createdForm } from "./created-form.ts";
import { missingObjects } from "./missing-objects.ts";
import { namesByGroup } from "./machine-names.ts";
import { touchedPart } from "./touched-clusters.ts";
import { fieldOf, isKind, MACHINE_KINDS, sortDump, type SortedDump } from "./owned-objects.ts";

/** A fleet that can be grown, and what its dump did not say. */
export interface ReadFleet {
  readonly fleet: Fleet;
  /** The names of the machines of each group in the dump, oldest first. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly assumptions: readonly string[];
  /** What it needs and neither the dump nor the simulation has. */
  readonly missing: readonly string[];
  /** What stands in the middle of a rollout, and is taken as finished. */
  readonly midway: readonly string[];
  readonly machines: number;
}

/** A workload cluster from its dump. */
export interface GivenWorkload extends WorkloadObjects {
  readonly assumptions: readonly string[];
}

/** What a fleet is read from. */
export interface FleetSource {
  readonly objects: readonly GivenObject[];
  /** The manifests of the change, of which the simulated Azure must know sizes, images and versions, too. */
  readonly change: readonly GivenObject[];
  readonly workloads: readonly GivenWorkload[];
  /** The namespace of objects that do not set one. */
  readonly namespace: string;
}

const MOST_MACHINES = 10_000;

/** Reads a fleet from the objects of a dump. */
export function readFleet({ objects: given, change, workloads, namespace }: FleetSource): ReadFleet {
  const objects = given.map((object) => placed(object, namespace));
  const dump = sortDump(objects);
  const clusters = dump.owned.filter((one) => isKind(one, Cluster.kind));
  if (clusters.length === 0) throw new CommandError(NO_CLUSTER);
  const machines = machinesOf(dump);
  if (machines > MOST_MACHINES) throw new CommandError(tooMany(machines));
  const after = desiredMachines(dump.owned, change);
  if (after > MOST_MACHINES) throw new CommandError(tooManyAfter(after));
  const all = dump.owned.filter(({ kind }) => kind !== "Secret");
  const { objects: roots, others } = touchedPart(all, change);
  const secrets = secretsFor(roots, objects);
  const azure = azureSettingsFor([...roots, ...change]);
  refuseUnknownWorkload(clusters, workloads);
  return {
    fleet: {
      objects: [...secrets.objects, ...roots.map(createdForm)],
      workloads: workloads.map(({ assumptions: _, ...workload }) => workload),
      azure: azure.settings,
    },
    names: namesByGroup(dump.grown),
    missing: [...roots.flatMap(externalEtcd), ...missingObjects(roots, change)],
    midway: roots.flatMap(midwayOf),
    machines,
    assumptions: [
      ...pauseNotes(roots, clusters),
      ...(others.length > 0
        ? [`the change does not reach ${counted(others.length, "other Cluster")}: not grown, and untouched`]
        : []),
      ...leavingNote(dump),
      ...azure.assumptions,
      ...notSimulated(roots),
      ...(secrets.placeholders.length > 0
        ? [
            `content of ${counted(secrets.placeholders.length, "Secret")} that bootstrap configs name: a placeholder`,
          ]
        : []),
      ...(roots.some((one) => isKind(one, AzureClusterIdentity.kind))
        ? ["logins to Azure succeed; quotas and capacity of Azure suffice"]
        : ["quotas and capacity of Azure suffice"]),
      ...workloadNotes(
        clusters.filter((one) => !others.includes(one)),
        workloads,
      ),
    ],
  };
}

const NO_CLUSTER =
  "--from has no Cluster; expected the output of: kubectl get clusters,machines,... -A -o yaml, or a folder of clusterctl move --to-directory";

function tooMany(machines: number): string {
  return `--from describes ${machines} machines; at most ${MOST_MACHINES} can be rehearsed at once: give fewer clusters`;
}

function tooManyAfter(machines: number): string {
  return `the change asks for ${machines} machines in all; at most ${MOST_MACHINES} can be rehearsed at once: look at its spec.replicas, or give fewer clusters`;
}

function placed(object: GivenObject, namespace: string): GivenObject {
  const { metadata } = object;
  return metadata.namespace === undefined ? { ...object, metadata: { ...metadata, namespace } } : object;
}

/** The machines of the dump, or those that its specs ask for, whichever are more. */
function machinesOf({ owned, grown }: SortedDump): number {
  const standing = grown.filter((one) => isKind(one, ...MACHINE_KINDS)).length;
  return Math.max(standing, desiredMachines(owned, []));
}

/** The machines that the specs of a fleet ask for, with a change applied to it. */
function desiredMachines(owned: readonly GivenObject[], change: readonly GivenObject[]): number {
  const replicas = new Map<string, unknown>();
  for (const one of [...owned, ...change]) {
    if (!isKind(one, "MachinePool", "MachineDeployment", "KubeadmControlPlane", "MachineSet")) continue;
    const key = `${one.kind} ${one.metadata.namespace}/${one.metadata.name}`;
    replicas.set(key, fieldOf(one, "spec", "replicas") ?? replicas.get(key) ?? 1);
  }
  return [...replicas.values()].reduce((sum: number, count) => sum + Number(count), 0);
}

/** What the simulation has no part for. */
function notSimulated(roots: readonly GivenObject[]): readonly string[] {
  const updaters = roots.filter(
    (one) =>
      isKind(one, "ExtensionConfig") &&
      fieldOf(one, "spec", "clientConfig", "service", "name") !== REFERENCE_UPDATER,
  );
  const renewed = roots.filter(
    (one) => fieldOf(one, "spec", "template", "image", "nodePrototyping") !== undefined,
  );
  return [
    ...updaters.map(
      ({ metadata }) =>
        `ExtensionConfig ${metadata.name} is not simulated: its updates in place are taken as refused`,
    ),
    ...(renewed.length > 0
      ? [`node images of ${counted(renewed.length, "pool")} are not renewed meanwhile`]
      : []),
  ];
}

function externalEtcd({ kind, metadata, spec }: GivenObject): readonly string[] {
  const external = fieldOf(spec, "kubeadmConfigSpec", "clusterConfiguration", "etcd", "external");
  return external === undefined
    ? []
    : [`${kind} ${metadata.namespace}/${metadata.name} has an external etcd, which is not simulated`];
}

const REFERENCE_UPDATER = "kubeadm-upgrade";

function refuseUnknownWorkload(clusters: readonly GivenObject[], workloads: readonly GivenWorkload[]): void {
  const names = clusters.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const unknown = workloads.find(({ namespace, cluster }) => !names.includes(`${namespace}/${cluster}`));
  if (!unknown) return;
  const { namespace, cluster } = unknown;
  throw new CommandError(
    `--workload ${namespace}/${cluster}: the dump has no such Cluster; it has ${names.slice(0, 5).join(", ")}`,
  );
}

/** A pause delays a change: what it does then is what users must know before they resume. */
function pauseNotes(roots: readonly GivenObject[], clusters: readonly GivenObject[]): readonly string[] {
  const paused = roots.filter(isPaused);
  if (paused.length > 0 && clusters.length === paused.filter((one) => clusters.includes(one)).length)
    return ["all Clusters are paused, as clusterctl move leaves them: taken as not paused"];
  return paused.map(
    ({ kind, metadata: { namespace, name } }) =>
      `${kind} ${namespace}/${name} is paused: rehearsed as if it were resumed; until then nothing happens`,
  );
}

function isPaused(object: GivenObject): boolean {
  const annotation = fieldOf(object, "metadata", "annotations", PAUSED_ANNOTATION);
  return fieldOf(object, "spec", "paused") === true || annotation !== undefined;
}

function leavingNote({ leaving }: SortedDump): readonly string[] {
  if (leaving.length === 0) return [];
  const [first] = leaving;
  const example = first ? `${first.kind} ${first.metadata.name}` : "";
  return [`${counted(leaving.length, "object")} being deleted (${example}): taken as gone`];
}

/** Owners whose status counts machines that are not up to date. */
function midwayOf(object: GivenObject): readonly string[] {
  const replicas = fieldOf(object, "spec", "replicas");
  const upToDate = fieldOf(object, "status", "upToDateReplicas");
  if (typeof replicas !== "number" || typeof upToDate !== "number" || upToDate >= replicas) return [];
  const { namespace, name } = object.metadata;
  return [`${object.kind} ${namespace}/${name}: ${upToDate} of ${replicas} machines are up to date`];
}

interface NamedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly keys: readonly string[];
}

/** The Secrets that files and users of bootstrap configs refer to; those that controllers make are not among them. */
function secretsFor(
  roots: readonly GivenObject[],
  all: readonly GivenObject[],
): { readonly objects: readonly KubernetesObject[]; readonly placeholders: readonly string[] } {
  const byName = new Map(
    all.flatMap((one): [string, GivenObject][] =>
      one.kind === "Secret" ? [[`${one.metadata.namespace}/${one.metadata.name}`, one]] : [],
    ),
  );
  const named = new Map<string, NamedSecret>();
  for (const root of roots) {
    for (const { name, key } of secretReferences(root["spec"])) {
      if (name.endsWith("-azure-json")) continue;
      const namespace = root.metadata.namespace ?? "";
      const keys = named.get(`${namespace}/${name}`)?.keys ?? [];
      named.set(`${namespace}/${name}`, { namespace, name, keys: [...keys, key] });
    }
  }
  return {
    objects: [...named].map(([key, secret]) => bootstrapSecret(secret, byName.get(key))),
    placeholders: [...named.keys()].filter((key) => fieldOf(byName.get(key), "data") === undefined),
  };
}

interface SecretReference {
  readonly name: string;
  readonly key: string;
}

function secretReferences(value: unknown): readonly SecretReference[] {
  if (Array.isArray(value)) return value.flatMap(secretReferences);
  if (!isJsonObject(value)) return [];
  const own = ["contentFrom", "passwdFrom"].flatMap((field): SecretReference[] => {
    const name = fieldOf(value, field, "secret", "name");
    const key = fieldOf(value, field, "secret", "key");
    return typeof name === "string" && typeof key === "string" ? [{ name, key }] : [];
  });
  return [...own, ...Object.values(value).flatMap(secretReferences)];
}

function workloadNotes(
  clusters: readonly GivenObject[],
  workloads: readonly GivenWorkload[],
): readonly string[] {
  const own = new Set(workloads.flatMap(({ assumptions }) => assumptions));
  const missing = clusters.filter(
    ({ metadata }) =>
      !workloads.some(
        ({ namespace, cluster }) => namespace === metadata.namespace && cluster === metadata.name,
      ),
  );
  if (missing.length === 0) return [...own];
  const which = missing.length === clusters.length ? "" : ` of ${counted(missing.length, "cluster")}`;
  return [
    `pods and disruption budgets${which} are not given: nodes are empty, so drains take seconds and no budget blocks`,
  ];
}
