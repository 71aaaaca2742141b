/** Every decision of Capstan as a pure function: no clock, no client, no hash. What a decision rests on is an argument. */
export { adoptionChanges } from "./aks/adoption.ts";
export { type ManagedPool, agentPoolName, agentPoolSpec } from "./aks/agent-pool.ts";
export {
  ADOPT_ANNOTATION,
  CLUSTER_PATCHES,
  type DescribedCluster,
  POOL_PATCHES,
  clusterSpecOf,
  isAdopted,
  ownedTags,
} from "./aks/desired-cluster.ts";
export { type DesiredObject, objectNameFor } from "./aks/desired-object.ts";
export { isNewer } from "./aks/kubernetes-version.ts";
export { asoOutputs, currentVersion, hasPools } from "./aks/managed-cluster.ts";
export { networkObjects } from "./aks/network.ts";
export { applyPatches } from "./aks/patches/apply-patches.ts";
export { fieldsKeptByOthers } from "./aks/patches/removed-fields.ts";
export { type AksState, type PlannedChange, type PlannedResource, planAks } from "./aks/plan.ts";
export {
  POLICY_ANNOTATION,
  type PolicyDecision,
  type PolicyInput,
  type ReconcilePolicy,
  decidePolicy,
} from "./aks/reconcile-policy.ts";
export { isStorageVersion, type ServedVersion, newestServed } from "./aks/served-version.ts";
export { BREAKER_AFTER, decideEnd } from "./images/backoff.ts";
export {
  type CanaryFacts,
  type CanaryNode,
  type CanaryStep,
  type CanaryVerdict,
  decideCanary,
} from "./images/canary.ts";
export { type ContentsDecision, decideContents, fingerprintOf, wasAsked } from "./images/contents.ts";
export { definitionFor, galleryRefusalOf, mismatchOf } from "./images/definition.ts";
export { type Candidate, shortageOf } from "./images/donor.ts";
export { promoted, returnTargetOf, rolledBack, surplusOf, withoutActive } from "./images/history.ts";
export { imageContentsOf } from "./images/image-contents.ts";
export {
  BOOTED_TWICE,
  INSPECT_COMMAND,
  INSPECT_SCRIPT,
  SCRUBBED_LATE,
} from "./images/scripts/inspect-script.ts";
export {
  INSTALLED_COMMAND,
  INSTALLED_SCRIPT,
  installedIn,
  NOT_KNOWN,
} from "./images/scripts/installed-script.ts";
export { interruptionOf, isFailure, isSkipped, yields } from "./images/interruption.ts";
export { decideLastPatch, patchLevelOf } from "./images/last-patch.ts";
export { type BootImage, bootImageOf } from "./images/lineage.ts";
export {
  canaryNames,
  cycleIDOf,
  helperName,
  isPrototypeVersion,
  prototypeNamesOf,
  scrubbedSnapshotName,
  snapshotName,
  prototypeVersionOf,
} from "./images/names.ts";
export {
  type HistoryEntry,
  IDLE,
  type PrototypePhase,
  type PrototypeRecord,
  blocksMove,
  deadlineOf,
  hasDonor,
  isOverdue,
  isReturnOverdue,
  isRunning,
} from "./images/record.ts";
export { type ScrubFacts, type ScrubStep, decideScrub } from "./images/scrub-copy.ts";
export { HELPER_LUN, INSTALL_SCRIPT, SCRUB_COMMAND } from "./images/scripts/scrub-script.ts";
export { limitRefusalOf } from "./images/limits.ts";
export { decidePin, isRollbackDone } from "./images/pin.ts";
export { decideRollback, type NewMachine } from "./images/roll-back.ts";
export { type StartDecision, type StartFacts, busyBecause, decideStart } from "./images/start.ts";
export {
  type DonorPower,
  type PublishFacts,
  type PublishStep,
  type ReturnFacts,
  type SnapshotFacts,
  decidePromote,
  decidePublish,
  decideReturn,
  decideSnapshot,
  decideStop,
} from "./images/steps.ts";
export { changedPaths } from "./in-place/changes.ts";
export {
  AVAILABILITY_NOT_COUNTED,
  type UpdatePlan,
  type UpdaterAnswer,
  planUpdate,
} from "./in-place/plan.ts";
export {
  keptRecords,
  recordedUpdatersLeft,
  recordProblem,
  type UpdateRecord,
  type UpdateRecords,
  updateRecordsOf,
  updateRecordsText,
} from "./in-place/record.ts";
export {
  type UpdateAnswer,
  type UpdateProgress,
  type UpdateStep,
  afterAnswer,
  afterFailure,
  falseDone,
  nextUpdateStep,
} from "./in-place/progress.ts";
export {
  type Owner,
  type Tags,
  isOwned,
  mergedTags,
  namesakeIn,
  ownershipTag,
  tagsIn,
  tagsOf,
} from "./ownership-tags.ts";
export type {
  ControlPlaneAction,
  ControlPlaneBlocked,
  ControlPlanePlan,
  InPlaceHold,
} from "./rollout/control-plane/action.ts";
export {
  initForm,
  joinForm,
  normalizedConfigs,
  withImpliedGate,
} from "./rollout/control-plane/kubeadm-form.ts";
export { newMachineReason, outdatedReasons } from "./rollout/control-plane/outdated.ts";
export { planControlPlane } from "./rollout/control-plane/plan.ts";
export { ETCD_MEMBER_HEALTHY } from "./rollout/control-plane/quorum.ts";
export { isHealthy } from "./rollout/control-plane/selection.ts";
export type {
  ControlPlaneMachine,
  ControlPlaneView,
  EtcdView,
  Health,
  MachineUpdateVerdict,
  ControlPlaneUpdateView,
  MachineUpdate,
  PartHealth,
  RemediationRecord,
} from "./rollout/control-plane/view.ts";
export type { DeploymentAction, MarkCause } from "./rollout/machine-deployment/action.ts";
export { type DeploymentPlan, type MoveRecords, planDeployment } from "./rollout/machine-deployment/plan.ts";
export {
  type DeploymentUpdateView,
  type DeploymentView,
  type InPlaceMachine,
  type SetUpdateVerdict,
  type SetView,
  targetOf,
} from "./rollout/machine-deployment/view.ts";
export { type MachineSetPlan, planMachineSet } from "./rollout/machine-set/plan.ts";
export { type PreflightView, failedPreflight } from "./rollout/machine-set/preflight.ts";
export type { MachineSetView, SetMachine } from "./rollout/machine-set/view.ts";
export {
  type Blocked,
  type BlockedReason,
  type PoolAction,
  isOfRollout,
} from "./rollout/scale-set/action.ts";
export { type Budget, roundingNote } from "./rollout/scale-set/budget.ts";
export { recordedSize, resizedByOthers } from "./rollout/scale-set/external-size.ts";
export {
  type Forecast,
  type TimedAction,
  type Totals,
  type Wave,
  forecastPool,
  isDisruptive,
} from "./rollout/scale-set/forecast/forecast.ts";
export type { RolloutStep, StepTimes } from "./rollout/scale-set/forecast/step-times.ts";
export { type DrainedMachine, isDisruptable } from "./rollout/scale-set/instances/drained-machine.ts";
export { keepsModelOfSet } from "./rollout/scale-set/models.ts";
export { needsAttention } from "./rollout/scale-set/needs-attention.ts";
export { type PoolPlan, actionsOfPass, machineResourceName, planPool } from "./rollout/scale-set/plan.ts";
export { ALLOW_REMOVAL_ANNOTATION, missingNames, observeMissing } from "./rollout/scale-set/removal-guard.ts";
export { hasOtherTags } from "./rollout/scale-set/upkeep/tags.ts";
export {
  type InstancesView,
  type MachineView,
  type PoolView,
  type RemovalGuard,
  type SetOperation,
  type TagsView,
  type VmState,
  isHalted,
} from "./rollout/scale-set/view.ts";
export { counted } from "./rollout/shared/action.ts";
export { kubeletNotes, type VersionFinding, versionFindings } from "./rollout/shared/version-change.ts";
export { RESTARTED_AT_ANNOTATION } from "./rollout/shared/restart.ts";
export { firstDrift } from "./service-operator/drift.ts";
export {
  ASO_RESOURCE_TYPES,
  type AsoResourceType,
  asoResourceType,
} from "./service-operator/resource-types.ts";
export { UnresolvedReference, apiVersionOf, armBody } from "./service-operator/to-arm.ts";
export { type ClusterFacts, type MachineOwnerState, clusterConditions } from "./conditions/cluster.ts";
export { controlPlaneConditions } from "./conditions/control-plane.ts";
export { kubeadmConfigConditions } from "./conditions/kubeadm-config.ts";
export { kubeletMismatch } from "./conditions/kubelet-version.ts";
export { machineDeploymentConditions } from "./conditions/machine-deployment.ts";
export { machinePoolConditions } from "./conditions/machine-pool.ts";
export { machineSetConditions } from "./conditions/machine-set.ts";
export { machineConditions, upToDateInV1Beta2 } from "./conditions/machine.ts";
export { fromOlderConditions } from "./conditions/older.ts";
export { type OwnerPlan, ownerRemediated } from "./conditions/owner-remediated.ts";
export {
  countMachines,
  isAvailableMachine,
  isReadyMachine,
  sumVersions,
  versionsOfMachines,
} from "./conditions/machines.ts";
