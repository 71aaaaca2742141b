import {
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  getCondition,
  KubeadmConfig,
  type Machine,
  type Node,
  parseDuration,
  PRE_TERMINATE_HOOK_PREFIX,
  REMEDIATE_MACHINE_ANNOTATION,
} from "@capstan/api";
import {
  CLONED_FROM_GROUP_KIND_ANNOTATION,
  CLONED_FROM_NAME_ANNOTATION,
} from "../../contract/clone-template.ts";
import { targetOf } from "../../contract/reference.ts";
import { outdatedReasons } from "../../rollout/control-plane/outdated.ts";
import type { ControlPlaneMachine, ControlPlaneView } from "../../rollout/control-plane/view.ts";
import { isNodeReady } from "../../workload/availability.ts";
import {
  HEALTH_CHECK_SUCCEEDED,
  OWNER_REMEDIATED,
  PRE_TERMINATE_HOOK_SUCCEEDED,
} from "../machine/conditions.ts";
import { CLEANUP_HOOK } from "./machine-object.ts";
import { partsOf } from "./machine-health.ts";
import type { ObservedWorkload } from "./observe.ts";
import {
  parseRecord,
  REMEDIATION_FOR_ANNOTATION,
  REMEDIATION_IN_PROGRESS_ANNOTATION,
} from "./remediation-record.ts";
import type { Scope } from "./scope.ts";

const HOUR_MS = 3_600_000;

/** The facts about a control plane, for its planner. */
export function viewOf(scope: Scope, observed: ObservedWorkload): ControlPlaneView {
  const { controlPlane, machines, context } = scope;
  const { metadata, spec, status } = controlPlane;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    replicas: spec.replicas ?? 1,
    version: spec.version,
    maxSurge: spec.rolloutStrategy?.rollingUpdate?.maxSurge === 0 ? 0 : 1,
    isInitialized: status?.initialized === true,
    ...problemsOf(scope, observed),
    failureDomains: failureDomainsOf(scope),
    machines: machines.map((machine) => machineView(scope, machine, observed)),
    ...changesOf(scope),
    etcd: observed.etcd,
    remediation: policyOf(spec.remediationStrategy),
    nowMs: context.env.clock.now(),
  };
}

function problemsOf(
  { certificateProblem }: Scope,
  { unreachable }: ObservedWorkload,
): Pick<ControlPlaneView, "unreachable" | "certificateProblem"> {
  return {
    ...(unreachable !== undefined && { unreachable }),
    ...(certificateProblem !== undefined && { certificateProblem }),
  };
}

/** The changes that have begun. */
function changesOf({
  controlPlane: { metadata, status },
}: Scope): Pick<ControlPlaneView, "creating" | "remediationInProgress"> {
  const inProgress = parseRecord(metadata.annotations?.[REMEDIATION_IN_PROGRESS_ANNOTATION]);
  const creating = status?.creatingMachine;
  return {
    ...(creating !== undefined && { creating }),
    ...(inProgress && { remediationInProgress: inProgress }),
  };
}

function failureDomainsOf({ cluster }: Scope): readonly string[] {
  return Object.entries(cluster?.status?.failureDomains ?? {})
    .filter(([, { controlPlane: isUsable }]) => isUsable === true)
    .map(([name]) => name)
    .toSorted();
}

function policyOf(
  strategy: Scope["controlPlane"]["spec"]["remediationStrategy"],
): ControlPlaneView["remediation"] {
  const { maxRetry, retryPeriod, minHealthyPeriod } = strategy ?? {};
  return {
    ...(maxRetry !== undefined && { maxRetry }),
    retryPeriodMs: retryPeriod === undefined ? 0 : parseDuration(retryPeriod),
    minHealthyPeriodMs: minHealthyPeriod === undefined ? HOUR_MS : parseDuration(minHealthyPeriod),
  };
}

function machineView(
  scope: Scope,
  machine: Frozen<Machine>,
  observed: ObservedWorkload,
): ControlPlaneMachine {
  const { metadata, spec } = machine;
  const { annotations = {} } = metadata;
  const remediation = remediationOf(machine);
  const remediationFor = parseRecord(annotations[REMEDIATION_FOR_ANNOTATION]);
  const hooks = Object.keys(annotations).filter((name) => name.startsWith(`${PRE_TERMINATE_HOOK_PREFIX}/`));
  return {
    name: metadata.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    ...(metadata.deletionTimestamp !== undefined && {
      deletingSinceMs: Date.parse(metadata.deletionTimestamp),
    }),
    ...nodeNameOf(machine, observed),
    isReachable: isReachable(observed.nodes.get(metadata.name)),
    ...(spec.failureDomain !== undefined && { failureDomain: spec.failureDomain }),
    outdated: outdatedOf(scope, machine),
    hasDeleteAnnotation: annotations[DELETE_MACHINE_ANNOTATION] !== undefined,
    ...(remediation && { remediation }),
    parts: partsOf(machine, observed),
    waitsForRelease: isFalse(machine, PRE_TERMINATE_HOOK_SUCCEEDED),
    hasHook: hooks.includes(CLEANUP_HOOK),
    otherHooks: hooks.filter((name) => name !== CLEANUP_HOOK),
    ...(remediationFor && { remediationFor }),
  };
}

/** A machine keeps the name of a Node that is gone: its member of etcd has the same name. */
function nodeNameOf(
  { metadata, status }: Frozen<Machine>,
  { nodes }: ObservedWorkload,
): Pick<ControlPlaneMachine, "nodeName"> {
  const nodeName = nodes.get(metadata.name)?.metadata.name ?? status?.nodeRef?.name;
  return nodeName === undefined ? {} : { nodeName };
}

function isReachable(node: Frozen<Node> | undefined): boolean {
  return node !== undefined && isNodeReady(node);
}

function outdatedOf({ context, controlPlane }: Scope, machine: Frozen<Machine>): readonly string[] {
  const { cache, env } = context;
  const { name, namespace = "" } = machine.metadata;
  const config = cache.get(KubeadmConfig, {
    name: machine.spec.bootstrap.configRef?.name ?? name,
    namespace,
  });
  const pointer = { reference: machine.spec.infrastructureRef, field: "spec.infrastructureRef", namespace };
  const target = targetOf(pointer);
  // Objects of kinds that the cache does not follow yet count as up to date.
  const annotations = context.watch(target.kind)
    ? cache.get(target.kind, target.name)?.metadata.annotations
    : undefined;
  const template = annotations?.[CLONED_FROM_NAME_ANNOTATION];
  const groupKind = annotations?.[CLONED_FROM_GROUP_KIND_ANNOTATION] ?? "";
  const clonedFrom = template === undefined ? undefined : { name: template, groupKind };
  return outdatedReasons(controlPlane, { machine, config, clonedFrom }, env.clock.now());
}

/** Whether a health check asks the owner of a machine to replace it. */
function remediationOf(machine: Frozen<Machine>): ControlPlaneMachine["remediation"] {
  if (!isFalse(machine, HEALTH_CHECK_SUCCEEDED) || !isFalse(machine, OWNER_REMEDIATED)) return undefined;
  return machine.metadata.annotations?.[REMEDIATE_MACHINE_ANNOTATION] === undefined
    ? "Unhealthy"
    : "Requested";
}

function isFalse({ status }: Frozen<Machine>, type: string): boolean {
  return getCondition(status?.conditions, type)?.status === "False";
}
