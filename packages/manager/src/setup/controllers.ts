import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachine,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type CustomKind,
  ExtensionConfig,
  type Features,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  MachinePool,
  MachineSet,
} from "@capstan/api";
import type { MetricRegistry, Reconciler } from "@capstan/runtime";
import { azureClusterRbac } from "../reconcilers/azurecluster/rbac.ts";
import { azureClusterReconciler } from "../reconcilers/azurecluster/reconciler.ts";
import { azureClusterIdentityRbac } from "../reconcilers/azureclusteridentity/rbac.ts";
import { azureClusterIdentityReconciler } from "../reconcilers/azureclusteridentity/reconciler.ts";
import { azureMachineRbac } from "../reconcilers/azuremachine/rbac.ts";
import { azureMachineReconciler } from "../reconcilers/azuremachine/reconciler.ts";
import { azureMachinePoolRbac } from "../reconcilers/azuremachinepool/rbac.ts";
import { azureMachinePoolReconciler } from "../reconcilers/azuremachinepool/reconciler.ts";
import { azureMachinePoolMachineRbac } from "../reconcilers/azuremachinepoolmachine/rbac.ts";
import { azureMachinePoolMachineReconciler } from "../reconcilers/azuremachinepoolmachine/reconciler.ts";
import { azureMachineTemplateRbac } from "../reconcilers/azuremachinetemplate/rbac.ts";
import { azureMachineTemplateReconciler } from "../reconcilers/azuremachinetemplate/reconciler.ts";
import { azureManagedClusterRbac } from "../reconcilers/azuremanagedcluster/rbac.ts";
import { azureManagedClusterReconciler } from "../reconcilers/azuremanagedcluster/reconciler.ts";
import { azureManagedControlPlaneRbac } from "../reconcilers/azuremanagedcontrolplane/rbac.ts";
import { azureManagedControlPlaneReconciler } from "../reconcilers/azuremanagedcontrolplane/reconciler.ts";
import { azureManagedMachinePoolRbac } from "../reconcilers/azuremanagedmachinepool/rbac.ts";
import { azureManagedMachinePoolReconciler } from "../reconcilers/azuremanagedmachinepool/reconciler.ts";
import { clusterRbac } from "../reconcilers/cluster/rbac.ts";
import { clusterReconciler } from "../reconcilers/cluster/reconciler.ts";
import { extensionConfigRbac } from "../reconcilers/extensionconfig/rbac.ts";
import { extensionConfigReconciler } from "../reconcilers/extensionconfig/reconciler.ts";
import { kubeadmConfigRbac } from "../reconcilers/kubeadmconfig/rbac.ts";
import { kubeadmConfigReconciler } from "../reconcilers/kubeadmconfig/reconciler.ts";
import { kubeadmControlPlaneRbac } from "../reconcilers/kubeadmcontrolplane/rbac.ts";
import { kubeadmControlPlaneReconciler } from "../reconcilers/kubeadmcontrolplane/reconciler.ts";
import { machineRbac } from "../reconcilers/machine/rbac.ts";
import { machineReconciler } from "../reconcilers/machine/reconciler.ts";
import { machineDeploymentRbac } from "../reconcilers/machinedeployment/rbac.ts";
import { machineDeploymentReconciler } from "../reconcilers/machinedeployment/reconciler.ts";
import { machineHealthCheckRbac } from "../reconcilers/machinehealthcheck/rbac.ts";
import { machineHealthCheckReconciler } from "../reconcilers/machinehealthcheck/reconciler.ts";
import { machineSetRbac } from "../reconcilers/machineset/rbac.ts";
import { machineSetReconciler } from "../reconcilers/machineset/reconciler.ts";
import { machinePoolRbac } from "../reconcilers/machinepool/rbac.ts";
import { machinePoolReconciler } from "../reconcilers/machinepool/reconciler.ts";
import { nodePrototypeRbac, templatePrototypeRbac } from "../reconcilers/nodeprototype/rbac.ts";
import { nodePrototypeReconciler } from "../reconcilers/nodeprototype/reconciler.ts";
import { templatePrototypeReconciler } from "../reconcilers/nodeprototype/template-reconciler.ts";
import type { CertificateIssuer } from "../cluster-certificates/issuer.ts";
import type { ConnectToEtcd } from "../etcd/port.ts";
import type { PolicyRule } from "../reconcilers/policy-rule.ts";
import type { UpdaterPorts } from "../in-place/hooks/updaters.ts";
import type { AzurePorts } from "./ports/azure.ts";
import type { KubernetesPorts } from "./ports/kubernetes.ts";
import type { WorkloadPorts } from "./ports/workload.ts";

/** The ports of controllers, by domain. */
export interface ControllerPorts extends KubernetesPorts, AzurePorts, WorkloadPorts {
  /** Makes the certificates of clusters. */
  readonly issuer: CertificateIssuer;
  /** The way to the members of etcd. */
  readonly connectEtcd: ConnectToEtcd;
  readonly updaters: UpdaterPorts;
  readonly features: Features;
  /** Whether another core reconciles MachinePools: Cluster API's own makes a Machine for each of their machines. */
  readonly isBesideOtherCore: boolean;
  /** Whether bootstrap data comes from our controller of KubeadmConfigs, which answers requests for fresh data. */
  readonly rendersBootstrapData: boolean;
  /** The registry for metrics of controllers; without it nothing is counted. */
  readonly metrics?: MetricRegistry | undefined;
}

/** A controller of the product: its name on the command line, its permissions, and its constructor. */
export interface ControllerDefinition {
  readonly name: string;
  /** The kind that it reconciles. */
  readonly kind: CustomKind;
  readonly rbac: readonly PolicyRule[];
  readonly create: (ports: ControllerPorts) => Reconciler;
  /** The controller of ours without which this one has no effect. */
  readonly effectiveWith?: "machineset";
}

/** A controller that stands in for another operator: it needs no rights, and `capstan init` installs nothing for it. */
export type StandInDefinition = Omit<ControllerDefinition, "rbac">;

/** All controllers of a manager, in the order in which a cluster is created. */
export const CONTROLLERS: readonly ControllerDefinition[] = [
  {
    name: "azureclusteridentity",
    kind: AzureClusterIdentity,
    rbac: azureClusterIdentityRbac,
    create: azureClusterIdentityReconciler,
  },
  { name: "cluster", kind: Cluster, rbac: clusterRbac, create: clusterReconciler },
  {
    name: "azurecluster",
    kind: AzureCluster,
    rbac: azureClusterRbac,
    create: azureClusterReconciler,
  },
  {
    name: "kubeadmcontrolplane",
    kind: KubeadmControlPlane,
    rbac: kubeadmControlPlaneRbac,
    create: kubeadmControlPlaneReconciler,
  },
  {
    name: "machinepool",
    kind: MachinePool,
    rbac: machinePoolRbac,
    create: machinePoolReconciler,
  },
  {
    name: "machinedeployment",
    kind: MachineDeployment,
    rbac: machineDeploymentRbac,
    create: machineDeploymentReconciler,
  },
  { name: "machineset", kind: MachineSet, rbac: machineSetRbac, create: machineSetReconciler },
  { name: "machine", kind: Machine, rbac: machineRbac, create: machineReconciler },
  {
    name: "kubeadmconfig",
    kind: KubeadmConfig,
    rbac: kubeadmConfigRbac,
    create: kubeadmConfigReconciler,
  },
  {
    name: "azuremachine",
    kind: AzureMachine,
    rbac: azureMachineRbac,
    create: azureMachineReconciler,
  },
  {
    name: "azuremachinetemplate",
    kind: AzureMachineTemplate,
    rbac: azureMachineTemplateRbac,
    create: azureMachineTemplateReconciler,
  },
  {
    name: "azuremachinepool",
    kind: AzureMachinePool,
    rbac: azureMachinePoolRbac,
    create: azureMachinePoolReconciler,
  },
  {
    name: "azuremachinepoolmachine",
    kind: AzureMachinePoolMachine,
    rbac: azureMachinePoolMachineRbac,
    create: azureMachinePoolMachineReconciler,
  },
  {
    name: "nodeprototype",
    kind: AzureMachinePool,
    rbac: nodePrototypeRbac,
    create: nodePrototypeReconciler,
  },
  {
    name: "templateprototype",
    kind: AzureMachineTemplate,
    rbac: templatePrototypeRbac,
    create: templatePrototypeReconciler,
    effectiveWith: "machineset",
  },
  {
    name: "azuremanagedcluster",
    kind: AzureManagedCluster,
    rbac: azureManagedClusterRbac,
    create: azureManagedClusterReconciler,
  },
  {
    name: "azuremanagedcontrolplane",
    kind: AzureManagedControlPlane,
    rbac: azureManagedControlPlaneRbac,
    create: azureManagedControlPlaneReconciler,
  },
  {
    name: "azuremanagedmachinepool",
    kind: AzureManagedMachinePool,
    rbac: azureManagedMachinePoolRbac,
    create: azureManagedMachinePoolReconciler,
  },
  {
    name: "machinehealthcheck",
    kind: MachineHealthCheck,
    rbac: machineHealthCheckRbac,
    create: machineHealthCheckReconciler,
  },
  {
    name: "extensionconfig",
    kind: ExtensionConfig,
    rbac: extensionConfigRbac,
    create: extensionConfigReconciler,
  },
];
