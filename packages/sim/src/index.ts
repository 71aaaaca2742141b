/** The world around the controllers: guests that boot in simulated machines and become Nodes, and the pods on them. */
export {
  type ControlPlanes,
  type ControlPlanesOptions,
  startControlPlanes,
} from "./control-planes/control-planes.ts";
export {
  type ApiServerAddress,
  type BootedControlPlanes,
  type ListeningHost,
  startBootedControlPlanes,
} from "./control-planes/booted-control-planes.ts";
export type { Gate } from "./control-planes/gate.ts";
export { EtcdClusters } from "./etcd/etcd-clusters.ts";
export { etcdGateway } from "./etcd/gateway.ts";
export { etcdPods } from "./etcd/etcd-pods.ts";
export { logicalName } from "./control-planes/logical-name.ts";
export type { ControlPlaneHost, HostedControlPlane } from "./control-planes/host.ts";
export type { GuestFailure } from "./guests/failure.ts";
export type { GuestSettings } from "./guests/guest.ts";
export type { WorkloadCluster } from "./guests/guest-clusters.ts";
export {
  clusterNameForUsers,
  managedClustersNamed,
  type ManagedClusters,
  startManagedClusters,
} from "./managed-clusters/managed-clusters.ts";
export { updatesSince } from "./guests/security-updates.ts";
export { type Guests, type GuestsOptions, type GuestView, startGuests } from "./guests/guests.ts";
export type { Stage } from "./guests/stages.ts";
export { machineLabel } from "./machine-id.ts";
export { type ScenarioRun, type ScenarioRunOptions, runScenario } from "./run/run-scenario.ts";
export { type FaultPlan, faultsOf, readFaultPlan } from "./scenario/fault-plan.ts";
export { formatProblem, type Problem } from "./scenario/problem.ts";
export { readScenario, type ScenarioReading } from "./scenario/read-scenario.ts";
export type { Scenario } from "./scenario/scenario.ts";
export { failureReport } from "./story/failure-report.ts";
export { nodeHistories, type NodeHistory } from "./story/node-histories.ts";
export { storyOf, type StoryLine, storyText } from "./story/story.ts";
export { shortStory } from "./story/short-story.ts";
export { verdictText } from "./story/verdict.ts";
export { type RunFacts, type Summary, summaryOf } from "./story/summary.ts";
export { summaryText } from "./story/summary-text.ts";
export type { PodSettings } from "./workloads/kubelet-pods.ts";
export { startWorkloads, type Workloads, type WorkloadsOptions } from "./workloads/workloads.ts";
export { EFFECTS, type FaultSpec } from "./faults/faults.ts";
export type { Moments, Trigger } from "./faults/trigger.ts";
export { CONTROL_PLANE_INVARIANTS } from "./invariants/control-planes/control-planes.ts";
export { GENERAL_INVARIANTS } from "./invariants/general.ts";
export { MACHINE_POOL_INVARIANTS } from "./invariants/machine-pools/machine-pools.ts";
export { NODE_IMAGE_INVARIANTS } from "./invariants/node-images/node-images.ts";
export { type Invariant, ViolationError, type InvariantView } from "./invariants/invariant.ts";
export type { ArmCall, Happening, KubeWrite, TraceEvent } from "./trace/trace-event.ts";
export type { Call } from "./world/call.ts";
export { crashAt, type CrashPoint, crashPointsOf, faultOf } from "./world/crash-sweep.ts";
export { type EndState, endStateOf } from "./world/end-state.ts";
export type { Controllers, ManagerConnections } from "./world/managers.ts";
export { rehearse, type Rehearsal, RestlessError, type Run } from "./world/rehearsal.ts";
export type { Pool } from "./world/availability.ts";
export type { Truth } from "./world/truth.ts";
export { SIMULATED_AUTHORITY, SIMULATED_AUTHORITY_HASH } from "./world/simulated-authority.ts";
export { SIMULATED_ISSUER } from "./world/simulated-issuer.ts";
export { CLUSTERS_ORIGIN } from "./world/workload-host.ts";
export { createWorld, NotAtRestError, type World, type WorldOptions } from "./world/world.ts";
export { SERVICE_OPERATOR } from "./service-operator/reconciler.ts";
export {
  type DurationModel,
  type Fleet,
  TABLE_DURATIONS,
  type WorkloadObjects,
} from "./fleet-rehearsal/fleet.ts";
export { factsOf, type FleetFacts, type GroupFacts, type MachineOutcome } from "./fleet-rehearsal/facts.ts";
export type { GroupKind, GroupRecord, RunRecord } from "./fleet-rehearsal/record.ts";
export { type GivenDurations, readDurations } from "./fleet-rehearsal/read-durations.ts";
export { type FleetRehearsal, kindFor, rehearseFleet } from "./fleet-rehearsal/rehearse-fleet.ts";
export {
  type BudgetVerdict,
  type GroupVerdict,
  type Outcome,
  type Spread,
  type Verdict,
  verdictOf,
} from "./fleet-rehearsal/verdict.ts";
