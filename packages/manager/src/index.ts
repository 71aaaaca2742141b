/** The product: Capstan's controllers and their access to Azure. */
export type { CertificateIssuer } from "./cluster-certificates/issuer.ts";
export { x509Issuer } from "./cluster-certificates/x509-issuer.ts";
export { etcdGateway as etcdClient } from "./etcd/gateway.ts";
export type { ConnectToEtcd, Etcd, EtcdMember, EtcdStatus, EtcdTarget } from "./etcd/port.ts";
export type { ReasonText } from "./reasons/reason-text.ts";
export { type Reason, REASONS } from "./reasons/reasons.ts";
export { azureClusterRbac } from "./reconcilers/azurecluster/rbac.ts";
export type { PolicyRule } from "./reconcilers/policy-rule.ts";
export { azureClusterReconciler } from "./reconcilers/azurecluster/reconciler.ts";
export type { AzureClusterPorts } from "./reconcilers/azurecluster/scope.ts";
export {
  BOOTSTRAP_EXPIRES,
  FRESH_BOOTSTRAP_ANSWER,
  FRESH_BOOTSTRAP_REQUEST,
  type FreshnessQuestion,
  isFreshFor,
} from "./bootstrap/fresh-bootstrap.ts";
export { kubeadmConfigRbac } from "./reconcilers/kubeadmconfig/rbac.ts";
export { kubeadmConfigReconciler } from "./reconcilers/kubeadmconfig/reconciler.ts";
export type { KubeadmConfigPorts } from "./reconcilers/kubeadmconfig/scope.ts";
export { clusterRbac } from "./reconcilers/cluster/rbac.ts";
export { clusterReconciler } from "./reconcilers/cluster/reconciler.ts";
export type { ClusterPorts } from "./reconcilers/cluster/scope.ts";
export {
  clonedFrom,
  decideProposedControlPlane,
} from "./reconcilers/kubeadmcontrolplane/in-place/proposed.ts";
export { decideProposedDeployment } from "./reconcilers/machinedeployment/in-place/proposed.ts";
export { desiredKey } from "./reconcilers/kubeadmcontrolplane/in-place/update-view.ts";
export {
  type StoredControlPlane,
  viewFromConditions,
} from "./reconcilers/kubeadmcontrolplane/view/view-from-conditions.ts";
export {
  type ExtensionConfigPorts,
  extensionConfigReconciler,
} from "./reconcilers/extensionconfig/reconciler.ts";
export { type UpdaterAccess, updaterPorts } from "./setup/ports/updaters.ts";
export { connectToExtension } from "./in-place/hooks/connect.ts";
export type { UpdaterPorts } from "./in-place/hooks/updaters.ts";
export type { ConnectToExtension, ExtensionAddress } from "./in-place/hooks/hook-client.ts";
export { machineRbac } from "./reconcilers/machine/rbac.ts";
export { machineHealthCheckReconciler } from "./reconcilers/machinehealthcheck/reconciler.ts";
export { machineReconciler } from "./reconcilers/machine/reconciler.ts";
export type { MachinePorts } from "./reconcilers/machine/scope.ts";
export { machineDeploymentRbac } from "./reconcilers/machinedeployment/rbac.ts";
export { machineDeploymentReconciler } from "./reconcilers/machinedeployment/reconciler.ts";
export {
  type ViewInput as DeploymentViewInput,
  viewOf as deploymentViewOf,
} from "./reconcilers/machinedeployment/view.ts";
export {
  type ViewInput as MachineSetViewInput,
  viewOf as machineSetViewOf,
} from "./reconcilers/machineset/view.ts";
export { machineSetRbac } from "./reconcilers/machineset/rbac.ts";
export { machineSetReconciler } from "./reconcilers/machineset/reconciler.ts";
export { machinePoolRbac } from "./reconcilers/machinepool/rbac.ts";
export { machinePoolReconciler } from "./reconcilers/machinepool/reconciler.ts";
export type { MachinePoolPorts } from "./reconcilers/machinepool/scope.ts";
export type { MachineFacts } from "./reconcilers/azuremachinepool/observation/machine-view.ts";
export { type DesiredHash, desiredHashOf } from "./reconcilers/azuremachinepool/model/hash.ts";
export {
  factsFromStatus,
  type PoolFacts,
  poolView,
  type SetFacts,
  workloadFromStatus,
} from "./reconcilers/azuremachinepool/observation/pool-view.ts";
export { instancesFromStatus } from "./reconcilers/azuremachinepool/observation/drained-machines.ts";
export { tagsFromRecord } from "./reconcilers/azuremachinepool/model/tags.ts";
export type { ModelFacts } from "./reconcilers/azuremachinepool/model/model.ts";
export { IMAGE_VERSION_ANNOTATION, MACHINE_POOL_LABEL } from "./pools/well-known.ts";
export { planPrototype, planTemplatePrototype } from "./reconcilers/nodeprototype/plan.ts";
export { connectToCluster, type ConnectToCluster } from "./workload/connect.ts";
export type { WorkloadCluster, WorkloadPorts } from "./workload/connection.ts";
export { type KubeconfigFacts, readKubeconfig } from "./workload/kubeconfig.ts";
export type { WorkloadNodes } from "./workload/nodes.ts";
export { type NodeListener, type WorkloadAccess, WorkloadClusters } from "./workload/workload-clusters.ts";
export {
  type ControllerDefinition,
  type ControllerPorts,
  CONTROLLERS,
  type StandInDefinition,
} from "./setup/controllers.ts";
export type { AzureAccess } from "./setup/ports/azure.ts";
export { cloneTemplate, type CloneOptions } from "./contract/clone-template.ts";
export {
  type ControllersOptions,
  createControllers,
  type CreatedControllers,
  MANAGER_NAME,
} from "./setup/create-controllers.ts";
export { Manager, type ManagerOptions } from "./setup/manager.ts";
export { coexistenceProblems, type Neighbourhood } from "./setup/coexistence.ts";
export { type Target, kindNamed, targetOf } from "./contract/reference.ts";
export { WEBHOOK_CONFIGURATION } from "./certificates/ca-bundle.ts";
export { CertificateKeeper, type CertificateKeeperOptions } from "./certificates/certificate-keeper.ts";
export { CERTIFICATE_SECRET } from "./certificates/certificate-secret.ts";
export type { Credential, Issued } from "./certificates/credential.ts";
export type { AdmissionReview, ReviewRequest, ReviewResponse } from "./webhooks/admission-review.ts";
export { type ConversionRules, convertReviewed } from "./webhooks/conversion-review.ts";
export { review, reviewedKinds, type ReviewVerb } from "./webhooks/review.ts";
export { WEBHOOK_SERVICE, WebhookServer, type WebhookServerOptions } from "./webhooks/webhook-server.ts";
