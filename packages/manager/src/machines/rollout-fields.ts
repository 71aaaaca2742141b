import {
  type ContractReference,
  deepEqual,
  type Frozen,
  type MachineDeployment,
  type MachineSet,
  type MachineTemplateSpec,
} from "@capstan/api";

/**
 * The fields of a template that need a new machine when they change. Labels, annotations, timeouts, gates, and taints are changed on existing machines.
 */
export function rolloutFields({
  version,
  failureDomain,
  bootstrap,
  infrastructureRef,
}: Frozen<MachineTemplateSpec>): object {
  const { configRef, dataSecretName } = bootstrap;
  return {
    version: version ?? "",
    failureDomain: failureDomain ?? "",
    // The controller of a machine fills in the Secret of a config.
    bootstrap: configRef ? referenceFields(configRef) : { dataSecretName: dataSecretName ?? "" },
    infrastructureRef: referenceFields(infrastructureRef),
  };
}

function referenceFields({ apiGroup, kind, name }: Frozen<ContractReference>): object {
  return { group: apiGroup, kind, name };
}

/** Whether a set has the template of its deployment, and is not older than a passed `spec.rollout.after`. */
export function isUpToDate(
  deployment: Frozen<MachineDeployment>,
  set: Frozen<MachineSet>,
  nowMs: number,
): boolean {
  const desired = rolloutFields(deployment.spec.template.spec);
  if (!deepEqual(desired, rolloutFields(set.spec.template.spec))) return false;
  return !isOlderThanRollout(deployment, set, nowMs);
}

/** Whether a set is older than a passed `spec.rollout.after`: only new machines are what a user asks for. */
export function isOlderThanRollout(
  deployment: Frozen<MachineDeployment>,
  { metadata }: Frozen<MachineSet>,
  nowMs: number,
): boolean {
  const afterMs = passedRolloutMs(deployment, nowMs);
  return afterMs !== undefined && Date.parse(metadata.creationTimestamp ?? "") < afterMs;
}

/** The time of `spec.rollout.after`, if it has passed. */
export function passedRolloutMs({ spec }: Frozen<MachineDeployment>, nowMs: number): number | undefined {
  const afterMs = Date.parse(spec.rollout?.after ?? "");
  return Number.isNaN(afterMs) || afterMs > nowMs ? undefined : afterMs;
}

/** What differs between the newest template and that of the deployment, for messages. */
export function templateDifference(
  deployment: Frozen<MachineDeployment>,
  set: Frozen<MachineSet> | undefined,
): string {
  if (!set) return "no MachineSet exists yet";
  const [before, after] = [set, deployment].map(
    ({ spec }) => rolloutFields(spec.template.spec) as Record<string, unknown>,
  );
  const fields = Object.keys(after ?? {}).filter((field) => !deepEqual(before?.[field], after?.[field]));
  if (fields.length === 0) return "spec.rollout.after has passed";
  return `spec.template.spec changed: ${fields.join(", ")}`;
}
