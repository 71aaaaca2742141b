import {
  AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  KubeadmConfig,
  Machine,
  MachinePool,
} from "@capstan/api";
import {
  defineReconciler,
  index,
  isMoreThanStatus,
  type ObjectName,
  on,
  type Reconciler,
} from "@capstan/runtime";
import { isMoreThanMachines } from "../../contract/pool-spec.ts";
import { kubeadmConfigConditions } from "@capstan/plan";
import { mattersToMembers } from "../../contract/initialized.ts";
import { makeData } from "./make-data.ts";
import { buildScope, type KubeadmConfigPorts, type Scope } from "./scope.ts";

const BY_CLUSTER = "bootstrapped-cluster";

/**
 * Creates the bootstrap data of workers: a Secret with the cloud-config by which a machine joins its cluster with kubeadm,
 * and the join token for it in the workload cluster.
 */
export function kubeadmConfigReconciler(ports: KubeadmConfigPorts): Reconciler {
  return defineReconciler<KubeadmConfig, Scope>({
    name: "kubeadmconfig",
    for: KubeadmConfig,
    indexes: [
      index(KubeadmConfig, BY_CLUSTER, ({ metadata }) => {
        const cluster = metadata.labels?.[CLUSTER_NAME_LABEL];
        return cluster === undefined ? [] : [`${metadata.namespace}/${cluster}`];
      }),
    ],
    watches: [
      // The config depends on the spec of its owner, not on the owner's status.
      on(MachinePool, ({ metadata, spec }) => configOf(spec.template.spec, metadata.namespace), {
        predicate: isMoreThanMachines,
      }),
      on(Machine, ({ metadata, spec }) => configOf(spec, metadata.namespace), {
        predicate: isMoreThanStatus,
      }),
      on(
        Cluster,
        ({ metadata }, cache) =>
          cache
            .list(KubeadmConfig, { index: BY_CLUSTER, value: `${metadata.namespace}/${metadata.name}` })
            .map((config) => config.metadata),
        { predicate: mattersToMembers },
      ),
    ],
    // Whether a pool is a spot pool is immutable.
    reads: [AzureMachinePool],
    scope: (context) => buildScope(ports, context),
    normal: [makeData],
    standardConditions: (config) => kubeadmConfigConditions(config),
  });
}

type MachineSpec = Pick<Frozen<Machine>["spec"], "bootstrap">;

function configOf({ bootstrap: { configRef } }: MachineSpec, namespace: string | undefined): ObjectName[] {
  if (configRef?.kind !== KubeadmConfig.kind || !configRef.name || namespace === undefined) return [];
  return [{ name: configRef.name, namespace }];
}
