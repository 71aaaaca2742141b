import {
  AzureMachinePool,
  AzureMachineTemplate,
  type Frozen,
  KubeadmControlPlane,
  type NodePrototypingStatus,
} from "@capstan/api";
import { type CacheReader, index, type Source } from "@capstan/runtime";
import { nodeSource } from "../../workload/sources.ts";
import { templateClusterOf } from "../../azure-cluster/members.ts";
import { hasDonor } from "@capstan/plan";
import { providerKey } from "../../workload/nodes.ts";
import { clusterKeyOf } from "./fleet/pool-scope.ts";
import type { NodePrototypePorts } from "./scope.ts";

/** The index of owners whose donor is out of service, by Cluster and all together. */
export const BY_DONOR = "owners-with-donor";
export const ANYWHERE = "*";
const BY_DONOR_ID = "owner-of-donor";

/** The owners that hold a donor. Both controllers of images register them: the number of donors is limited for both together. */
export const donorIndexes = [
  index(AzureMachinePool, BY_DONOR, (pool) =>
    hasDonor(pool.status?.nodePrototyping) ? [clusterKeyOf(pool), ANYWHERE] : [],
  ),
  index(AzureMachineTemplate, BY_DONOR, (template) =>
    hasDonor(template.status?.nodePrototyping)
      ? [`${template.metadata.namespace}/${templateClusterOf(template)}`, ANYWHERE]
      : [],
  ),
  index(AzureMachinePool, BY_DONOR_ID, ({ status }) => donorKeysOf(status?.nodePrototyping)),
  index(AzureMachineTemplate, BY_DONOR_ID, ({ status }) => donorKeysOf(status?.nodePrototyping)),
];

export const BY_INFRASTRUCTURE = "control-planes-of-template";

/** The control planes that use a template. */
export const controlPlanesByTemplate = index(KubeadmControlPlane, BY_INFRASTRUCTURE, ({ metadata, spec }) => {
  const { name } = spec.machineTemplate.spec.infrastructureRef;
  return [templateKeyOf({ metadata: { namespace: metadata.namespace ?? "", name } })];
});

function donorKeysOf(record: Frozen<NodePrototypingStatus> | undefined): readonly string[] {
  const { providerID } = record?.donor ?? {};
  return hasDonor(record) && providerID !== undefined ? [providerKey(providerID)] : [];
}

/** The name of a pool in metrics, tags and claims. */
export function poolKeyOf({ metadata }: Frozen<AzureMachinePool>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The name of a template in metrics, tags and claims: a pool may have the same name. */
export function templateKeyOf({ metadata }: Pick<Frozen<AzureMachineTemplate>, "metadata">): string {
  return `${metadata.namespace}/template/${metadata.name}`;
}

/** A changed Node of a donor enqueues its owner: the donor is back as soon as its Node is Ready. */
export function donorNodes(
  kind: typeof AzureMachinePool | typeof AzureMachineTemplate,
  { workloads }: NodePrototypePorts,
): Source {
  return nodeSource(workloads, ({ cluster, providerIDs }, cache) =>
    providerIDs
      .flatMap((id) => ownersOf(cache, kind, providerKey(id)))
      .filter(({ namespace }) => namespace === cluster.namespace),
  );
}

function ownersOf(
  cache: CacheReader,
  kind: typeof AzureMachinePool | typeof AzureMachineTemplate,
  value: string,
) {
  const key = { index: BY_DONOR_ID, value };
  const owners =
    kind === AzureMachinePool ? cache.list(AzureMachinePool, key) : cache.list(AzureMachineTemplate, key);
  return owners.map(({ metadata }) => metadata);
}
