/** The product: what the command line needs of the controllers. */
export type { CertificateIssuer } from "./cluster-certificates/issuer.ts";
export { x509Issuer } from "./cluster-certificates/x509-issuer.ts";
export type { PolicyRule } from "./reconcilers/policy-rule.ts";
export {
  clonedFrom,
  decideProposedControlPlane,
} from "./reconcilers/kubeadmcontrolplane/in-place/proposed.ts";
export { decideProposedDeployment } from "./reconcilers/machinedeployment/in-place/proposed.ts";
export { desiredKey } from "./reconcilers/kubeadmcontrolplane/in-place/desired-key.ts";
export {
  type StoredControlPlane,
  viewFromConditions,
} from "./reconcilers/kubeadmcontrolplane/view/view-from-conditions.ts";
export { updaterPorts } from "./setup/ports/updaters.ts";
export { connectToExtension } from "./in-place/hooks/connect.ts";
export { AZURE_UPDATER, type AzureUpdater, azureUpdater } from "./in-place/azure/azure-updater.ts";
export type { UpdaterPorts } from "./in-place/hooks/updaters.ts";
export type { ConnectToExtension } from "./in-place/hooks/hook-client.ts";
export { viewOf as deploymentViewOf } from "./reconcilers/machinedeployment/view.ts";
export { viewOf as machineSetViewOf } from "./reconcilers/machineset/view.ts";
export type { MachineFacts } from "./reconcilers/azuremachinepool/observation/machine-view.ts";
export { type DesiredHash, desiredHashOf } from "./reconcilers/azuremachinepool/model/hash.ts";
export {
  factsFromStatus,
  poolView,
  type SetFacts,
  workloadFromStatus,
} from "./reconcilers/azuremachinepool/observation/pool-view.ts";
export { instancesFromStatus } from "./reconcilers/azuremachinepool/observation/drained-machines.ts";
export { tagsFromRecord } from "./reconcilers/azuremachinepool/model/tags.ts";
export { IMAGE_VERSION_ANNOTATION, MACHINE_POOL_LABEL } from "./pools/well-known.ts";
export { planPrototype, planTemplatePrototype } from "./reconcilers/nodeprototype/plan.ts";
export { connectToCluster } from "./workload/connect.ts";
export { readKubeconfig } from "./workload/kubeconfig.ts";
export { CONTROLLERS, type ControllerDefinition } from "./setup/controllers.ts";
export {
  chosenControllers,
  CONTROLLER_GROUPS,
  featuresWithoutEffect,
  kindsOf,
  unknownControllers,
} from "./setup/chosen-controllers.ts";
export { createControllers, type CreatedControllers, MANAGER_NAME } from "./setup/create-controllers.ts";
export { Manager } from "./setup/manager.ts";
export { activeProviders, coexistenceProblems } from "./setup/coexistence.ts";
export { type ReviewConfiguration, takeOverProblems } from "./setup/take-over.ts";
export { controlPlaneVersionsOf } from "./contract/contract-object.ts";
export { kindNamed, targetOf } from "./contract/reference.ts";
export { WEBHOOK_CONFIGURATION } from "./certificates/ca-bundle.ts";
export { CERTIFICATE_SECRET } from "./certificates/certificate-secret.ts";
export type { Issued } from "./certificates/credential.ts";
export { reviewedKinds } from "./webhooks/review.ts";
export { ConversionProbe } from "./webhooks/conversion-probe.ts";
export { WEBHOOK_SERVICE, WebhookServer } from "./webhooks/webhook-server.ts";
export { migrateStoredVersions } from "./stored-versions/migrate.ts";
