import { readFileSync } from "node:fs";
import {
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  CLUSTER_NAME_LABEL,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import {
  azureCluster,
  azureClusterIdentity,
  azureMachinePool,
  azureManagedCluster,
  azureManagedControlPlane,
  azureManagedMachinePool,
  cluster,
  kubeadmConfig,
  kubeadmControlPlane,
  machine,
  machineDeployment,
  machineHealthCheck,
  machinePool,
  machineSet,
  namespace,
  secret,
} from "@capstan/runtime/testing/builders";
import type { ControlPlane } from "./control-plane.ts";

/** Where the fleet is. */
export const FLEET = "fleet";
/** A pool whose control plane answers, so that it gets bootstrap data. */
export const POOL = { name: "workers", namespace: FLEET };

const inFleet = (name: string): { name: string; namespace: string } => ({ name, namespace: FLEET });
const ofCluster = (name: string, clusterName: string) => ({
  metadata: { ...inFleet(name), labels: { [CLUSTER_NAME_LABEL]: clusterName } },
  spec: { clusterName },
});

/** Three clusters which between them have every kind that the controllers touch. */
export function fleetOn(plane: ControlPlane): readonly KubernetesObject[] {
  return [
    namespace({ metadata: { name: FLEET, labels: { team: "ours" } } }),
    secret({
      metadata: inFleet("identity"),
      data: { clientSecret: base64(DEFAULT_PRINCIPAL.clientSecret ?? "") },
    }),
    azureClusterIdentity({
      metadata: inFleet("identity"),
      spec: {
        type: "ServicePrincipal",
        tenantID: DEFAULT_PRINCIPAL.tenantId,
        clientID: DEFAULT_PRINCIPAL.clientId,
        clientSecret: inFleet("identity"),
        allowedNamespaces: { selector: { matchLabels: { team: "ours" } } },
      },
    }),
    ...reachable(plane),
    ...withKubeadmControlPlane(),
    ...managed(),
  ];
}

/** A cluster whose control plane is the management cluster itself: that one answers. */
function reachable(plane: ControlPlane): readonly KubernetesObject[] {
  const { hostname: host, port } = new URL(plane.url);
  const controlPlaneEndpoint = { host, port: Number(port) };
  const template = { spec: { clusterName: "reachable" } };
  return [
    secret({
      metadata: { ...inFleet("reachable-kubeconfig"), labels: { [CLUSTER_NAME_LABEL]: "reachable" } },
      type: "cluster.x-k8s.io/secret",
      data: { value: base64(readFileSync(plane.kubeconfig, "utf8")) },
    }),
    secret({
      metadata: { ...inFleet("reachable-ca"), labels: { [CLUSTER_NAME_LABEL]: "reachable" } },
      type: "cluster.x-k8s.io/secret",
      data: { "tls.crt": base64(plane.ca) },
    }),
    cluster({
      metadata: inFleet("reachable"),
      spec: { controlPlaneRef: undefined, controlPlaneEndpoint, infrastructureRef: { name: "reachable" } },
    }),
    network("reachable", { controlPlaneEndpoint }),
    kubeadmConfig({ metadata: POOL }),
    azureMachinePool({ metadata: POOL }),
    machinePool(ofCluster("workers", "reachable"), {
      spec: {
        template: {
          spec: {
            clusterName: "reachable",
            version: "v1.34.1",
            bootstrap: { configRef: { name: "workers" } },
            infrastructureRef: { name: "workers" },
          },
        },
      },
    }),
    machine(ofCluster("single", "reachable")),
    machineHealthCheck(ofCluster("health", "reachable"), {
      spec: { selector: { matchLabels: { [CLUSTER_NAME_LABEL]: "reachable" } } },
    }),
    machineSet(ofCluster("set", "reachable"), { spec: { template } }),
    machineDeployment(ofCluster("deployment", "reachable"), { spec: { template } }),
  ];
}

function withKubeadmControlPlane(): readonly KubernetesObject[] {
  return [
    cluster({ metadata: inFleet("kubeadm"), spec: { infrastructureRef: { name: "kubeadm" } } }),
    kubeadmControlPlane({ metadata: inFleet("control-plane") }),
    network("kubeadm", {}),
  ];
}

function managed(): readonly KubernetesObject[] {
  const reference = ({ group, kind }: Kind, name: string) => ({ apiGroup: group, kind, name });
  const infrastructure = azureManagedCluster({ metadata: inFleet("managed") });
  const pool = azureManagedMachinePool({ metadata: inFleet("system") });
  return [
    cluster({
      metadata: inFleet("managed"),
      spec: {
        infrastructureRef: reference(AzureManagedCluster, "managed"),
        controlPlaneRef: reference(AzureManagedControlPlane, "managed"),
      },
    }),
    infrastructure,
    azureManagedControlPlane({ metadata: inFleet("managed") }),
    pool,
    machinePool(ofCluster("system", "managed"), {
      spec: {
        template: {
          spec: {
            clusterName: "managed",
            bootstrap: { configRef: undefined, dataSecretName: "" },
            infrastructureRef: reference(AzureManagedMachinePool, "system"),
          },
        },
      },
    }),
  ];
}

function network(name: string, spec: object): KubernetesObject {
  return azureCluster(
    { metadata: inFleet(name), spec: { subscriptionID: DEFAULT_SUBSCRIPTION, resourceGroup: name } },
    { spec },
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
