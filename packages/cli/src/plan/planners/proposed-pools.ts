import {
  AzureMachinePool,
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
}

/** Applies manifests as a dry run: with the server's defaults and validation, and without storing anything. */
export async function proposedPools(client: Client, given: GivenObjects): Promise<readonly ProposedPool[]> {
  const pools = await Promise.all(given.pools.map((pool) => proposed(client, AzureMachinePool, pool)));
  const machinePools = await Promise.all(
    given.machinePools.map((machinePool) => proposed(client, MachinePool, machinePool)),
  );
  const others = await otherPools(client, pools, machinePools);
  return Promise.all(
    [...pools, ...others].map(async (pool) => {
      const { before, after } = await proposedParts(client, pool, machinePools);
      return { before, after, hasCluster: after.cluster !== undefined || comesWith(given, after) };
    }),
  );
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
