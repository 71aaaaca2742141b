import {
  AzureClusterIdentity,
  AzureMachineTemplate,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  ExtensionConfig,
  INJECT_CA_ANNOTATION,
  type Kind,
  KubeadmConfig,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  MachinePool,
  MachineSet,
  POOL_NAME_LABEL,
  Secret,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  azureManagedCluster,
  azureManagedControlPlane,
  azureManagedMachinePool,
  cluster,
  kubeadmConfig,
  kubeadmConfigTemplate,
  kubeadmControlPlane,
  machine,
  machineDeployment,
  machineHealthCheck,
  machinePool,
  machineSet,
} from "@capstan/runtime/testing/builders";
import type { Rehearsal, World } from "@capstan/sim";
import { createCluster, createIdentity, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";

const referenceTo = ({ group, kind }: Kind, name: string) => ({ apiGroup: group, kind, name });

/** One object of every kind that a controller may handle: managed clusters, control planes, machines of all kinds. */
export function tour(seed: string): Rehearsal {
  return {
    world: { seed, controllers: simulatedControllers },
    story: async (world) => {
      await createIdentity(world);
      // Chosen by labels, which are read from the Namespace of the cluster.
      const selector = { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } };
      const spec = { allowedNamespaces: { selector } };
      await patch(world, AzureClusterIdentity, "demo-identity", { spec });
      await managedCluster(world);
      await clusterWithMachines(world);
      await extension(world);
      await world.rest(10 * MINUTE_MS);
      await world.run(world.user.delete(ExtensionConfig, { name: "updater" }));
      await remove(world, Cluster, "managed");
      await remove(world, Cluster, "full");
      await world.rest(30 * MINUTE_MS);
    },
  };
}

async function create<T extends KubernetesObject>(world: World, kind: Kind<T>, object: T): Promise<void> {
  await world.run(world.user.create(kind, object));
}

/** An extension that does not answer, with its certificate authority in a Secret. */
async function extension(world: World): Promise<void> {
  const data = { "ca.crt": Buffer.from("authority").toString("base64") };
  await create(world, Secret, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "updater", namespace: NAMESPACE },
    data,
  });
  const annotations = { [INJECT_CA_ANNOTATION]: `${NAMESPACE}/updater` };
  const { apiVersion, kind } = ExtensionConfig;
  const spec = { clientConfig: { url: "https://updater.invalid" } };
  await create(world, ExtensionConfig, {
    apiVersion,
    kind,
    metadata: { name: "updater", annotations },
    spec,
  });
}

/** A cluster of AKS; no controller acts on its parts yet. */
async function managedCluster(world: World): Promise<void> {
  const name = "managed";
  const metadata = { name };
  const spec = {
    infrastructureRef: referenceTo(AzureManagedCluster, name),
    controlPlaneRef: referenceTo(AzureManagedControlPlane, name),
  };
  await create(world, Cluster, cluster({ metadata, spec }));
  await create(world, AzureManagedCluster, azureManagedCluster({ metadata }));
  await create(world, AzureManagedControlPlane, azureManagedControlPlane({ metadata }));
  const template = {
    spec: {
      clusterName: name,
      bootstrap: { configRef: undefined, dataSecretName: "" },
      infrastructureRef: referenceTo(AzureManagedMachinePool, name),
    },
  };
  await create(world, MachinePool, machinePool({ metadata, spec: { clusterName: name, template } }));
  await create(world, AzureManagedMachinePool, azureManagedMachinePool({ metadata }));
  const selector = { matchLabels: { [POOL_NAME_LABEL]: name, [CLUSTER_NAME_LABEL]: name } };
  await create(
    world,
    MachineHealthCheck,
    machineHealthCheck({ metadata, spec: { clusterName: name, selector } }),
  );
}

/** A cluster with a kubeadm control plane and machines, with and without sets and deployments. */
async function clusterWithMachines(world: World): Promise<void> {
  const name = "full";
  const metadata = { name };
  await createCluster(world, name);
  await patch(world, Cluster, name, {
    spec: { controlPlaneRef: referenceTo(KubeadmControlPlane, name) },
  });
  await create(world, KubeadmControlPlane, kubeadmControlPlane({ metadata }));
  await create(world, KubeadmConfig, kubeadmConfig({ metadata }));
  const spec = { clusterName: name, template: { spec: { clusterName: name } } };
  await create(world, AzureMachineTemplate, azureMachineTemplate());
  await create(world, KubeadmConfigTemplate, kubeadmConfigTemplate());
  await create(world, MachineDeployment, machineDeployment({ metadata, spec }));
  await create(world, MachineSet, machineSet({ metadata, spec }));
  await create(world, Machine, machine({ metadata, spec: { clusterName: name } }));
}
