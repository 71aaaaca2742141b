import {
  AzureCluster,
  AzureMachinePool,
  Cluster,
  type Frozen,
  type Kind,
  type KubernetesObject,
  MachinePool,
  valueAt,
} from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import { CommandError } from "../../command-error.ts";
import { readPool } from "../../rollout/live-pool.ts";
import { applyPatch } from "../read/apply-patch.ts";
import { controlPlaneVersion } from "../read/control-plane-version.ts";
import { type GivenObjects, titleOf } from "../read/given-objects.ts";
import { isFor, type PoolParts, refusePoolOfAnother } from "./pool-parts.ts";
import type { GivenObject } from "../read/read-objects.ts";

/** A pool before and after the change. */
export interface ProposedPool {
  /** Undefined if the pool does not exist yet. */
  readonly before: PoolParts | undefined;
  readonly after: PoolParts;
  /** Whether its Cluster exists, or comes with the manifests. */
  readonly hasCluster: boolean;
  /** The version that its control plane has or gets; undefined if it is not known. */
  readonly controlPlaneVersion: string | undefined;
}

/** Applies manifests as a dry run: with the server's defaults and validation, and without storing anything. */
export async function proposedPools(client: Client, given: GivenObjects): Promise<readonly ProposedPool[]> {
  const pools = await Promise.all(given.pools.map((pool) => proposed(client, AzureMachinePool, pool)));
  const machinePools = await Promise.all(
    given.machinePools.map((machinePool) => proposed(client, MachinePool, machinePool)),
  );
  const azureClusters = await Promise.all(
    given.azureClusters.map((azureCluster) => proposed(client, AzureCluster, azureCluster)),
  );
  const others = await otherPools(client, pools, machinePools);
  const beside = await poolsBeside(client, azureClusters, [...pools, ...others]);
  return Promise.all(
    [...pools, ...others, ...beside].map(async (pool) => {
      const parts = await proposedParts(client, pool, machinePools);
      const { before, after } = withAzureCluster(parts, azureClusters);
      return {
        before,
        after,
        hasCluster: after.cluster !== undefined || comesWith(given, after),
        controlPlaneVersion: await controlPlaneVersion(client, given, after.cluster),
      };
    }),
  );
}

/** The pools of which only the AzureCluster was given: its network is part of the model of their machines. */
async function poolsBeside(
  client: Client,
  azureClusters: readonly Change<AzureCluster>[],
  known: readonly Change<AzureMachinePool>[],
): Promise<readonly Change<AzureMachinePool>[]> {
  const changed = azureClusters.filter(({ before }) => before !== undefined).map(({ after }) => after);
  const pools = await Promise.all(changed.map((azureCluster) => poolsOf(client, azureCluster)));
  return pools
    .flat()
    .filter((pool) => !known.some(({ after }) => isSameObject(after, pool)))
    .map((pool) => ({ before: pool, after: pool }));
}

async function poolsOf(
  client: Client,
  azureCluster: Frozen<AzureCluster>,
): Promise<readonly Frozen<AzureMachinePool>[]> {
  const { namespace = "default" } = azureCluster.metadata;
  const clusters = (await client.list(Cluster, { namespace })).filter(({ spec }) =>
    isReferenceTo(spec.infrastructureRef, azureCluster),
  );
  const names = new Set(clusters.map(({ metadata }) => metadata.name));
  if (names.size === 0) return [];
  const machinePools = (await client.list(MachinePool, { namespace })).filter(({ spec }) =>
    names.has(spec.clusterName),
  );
  const pools = await client.list(AzureMachinePool, { namespace });
  return pools.filter((pool) => machinePools.some((machinePool) => isFor(machinePool, pool)));
}

function isReferenceTo(
  reference: { readonly kind?: string; readonly name?: string } | undefined,
  { metadata }: Frozen<AzureCluster>,
): boolean {
  return reference?.kind === AzureCluster.kind && reference.name === metadata.name;
}

function isSameObject(
  { metadata: one }: Frozen<KubernetesObject>,
  { metadata: other }: Frozen<KubernetesObject>,
): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

/** Puts an AzureCluster that is given in the place of the stored one. */
function withAzureCluster(
  { before, after }: Pick<ProposedPool, "before" | "after">,
  azureClusters: readonly Change<AzureCluster>[],
): Pick<ProposedPool, "before" | "after"> {
  const { azureCluster } = after;
  const change = azureCluster && azureClusters.find((one) => isSameObject(one.after, azureCluster));
  return change ? { before, after: { ...after, azureCluster: change.after } } : { before, after };
}

function comesWith({ clusters }: GivenObjects, { machinePool }: PoolParts): boolean {
  const { metadata, spec } = machinePool;
  return clusters.some(
    (one) => one.metadata.name === spec.clusterName && one.metadata.namespace === metadata.namespace,
  );
}

/** An object before the change, if it exists, and after it. */
interface Change<T extends KubernetesObject> {
  readonly before: Frozen<T> | undefined;
  readonly after: Frozen<T>;
}

/** Applies one manifest as a dry run. */
export async function proposed<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  manifest: Frozen<T>,
): Promise<Change<T>> {
  const { name, namespace } = manifest.metadata;
  const before = await client.find(kind, { name, namespace });
  try {
    const after = before
      ? await client.patch(
          kind,
          { name, namespace },
          {
            type: "merge",
            body: applyPatch(before, manifest as unknown as GivenObject),
            dryRun: true,
            isStrict: true,
          },
        )
      : await client.create(kind, manifest, { dryRun: true, isStrict: true });
    return { before, after };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new CommandError(`${titleOf(manifest)} cannot be applied: ${causeIn(error.message, manifest)}`);
  }
}

const STRICT = "strict decoding error: ";

/** What a user need not know: the request, and what a server adds to a value of a wrong type. */
const REPEATED: readonly RegExp[] = [
  /^[A-Z]+ \/\S+: /,
  /, \.[\w.]+: Invalid value: \S+ \S+ accessor error: [^,\]]*, expected \w+/,
  /, <nil>: Invalid value: null: some validation rules were not checked [^\]]*/,
];

// The server names the field twice, and the type of the value instead of the value.
const WRONG_TYPE = /([\w.]+): Invalid value: "(\w+)": \1 in body must be of type (\w+): "\2"/g;

/** A strict server repeats the whole object before it names the field. */
function causeIn(message: string, manifest: object): string {
  const cause = message.slice(Math.max(0, message.lastIndexOf(STRICT)));
  const shown = (...[text = "", path = "", , type = ""]: readonly string[]): string => {
    const value = valueAt(manifest, path.split("."));
    return value === undefined ? text : `${path}: ${JSON.stringify(value)}: must be of type ${type}`;
  };
  return REPEATED.reduce((text, pattern) => text.replace(pattern, ""), cause).replace(WRONG_TYPE, shown);
}

/** The pools of which only the MachinePool was given: a new version or number of machines changes them, too. */
async function otherPools(
  client: Client,
  pools: readonly Change<AzureMachinePool>[],
  machinePools: readonly Change<MachinePool>[],
): Promise<readonly Change<AzureMachinePool>[]> {
  const alone = machinePools.filter(({ after }) => !pools.some((pool) => isFor(after, pool.after)));
  return Promise.all(
    alone.map(async ({ after }) => {
      const { namespace } = after.metadata;
      const { kind, name } = after.spec.template.spec.infrastructureRef;
      const pool =
        kind === AzureMachinePool.kind && (await client.find(AzureMachinePool, { name, namespace }));
      if (pool) {
        refusePoolOfAnother(pool, after);
        return { before: pool, after: pool };
      }
      throw new CommandError(
        `${titleOf(after)} refers to ${kind} ${name}, which is neither given nor an AzureMachinePool of the cluster`,
      );
    }),
  );
}

async function proposedParts(
  client: Client,
  pool: Change<AzureMachinePool>,
  machinePools: readonly Change<MachinePool>[],
): Promise<Pick<ProposedPool, "before" | "after">> {
  const given = machinePools.map((change) => change.after);
  const after = await readPool(client, pool.after, given);
  const change = machinePools.find((one) => one.after === after.machinePool);
  const machinePool = change ? change.before : after.machinePool;
  return { before: pool.before && machinePool && { ...after, pool: pool.before, machinePool }, after };
}
