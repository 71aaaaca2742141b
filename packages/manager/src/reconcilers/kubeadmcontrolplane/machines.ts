import {
  controllerReferenceTo,
  type Frozen,
  KubeadmConfig,
  type KubeadmControlPlane,
  Machine,
} from "@capstan/api";
import { again, isNotFound, next, type Outcome, waiting } from "@capstan/runtime";
import { cloneTemplate } from "../../contract/clone-template.ts";
import type { ContractObject } from "../../contract/contract-object.ts";
import { ownTemplate } from "../../contract/own-template.ts";
import { targetOf } from "../../contract/reference.ts";
import { absence, type ObjectReader, resolve, type ResolvedReference } from "../../contract/resolve.ts";
import type { RemediationRecord } from "@capstan/plan";
import { cloneReference } from "../machineset/clones.ts";
import { includes } from "../machineset/machine-object.ts";
import {
  CONTROL_PLANE_FIELD_MANAGER,
  configOf,
  configReference,
  fixedFieldsOf,
  machineConfiguration,
  machineLabels,
  newMachineName,
} from "./machine-object.ts";
import { parseRecord, REMEDIATION_FOR_ANNOTATION } from "./remediation-record.ts";
import type { Scope } from "./scope.ts";

/** A machine to create. */
export interface NewMachine {
  readonly failureDomain: string | undefined;
  readonly replacementFor: RemediationRecord | undefined;
}

const TEMPLATE_FIELD = "spec.machineTemplate.infrastructureRef";
const TEMPLATE_RETRY_MS = 30_000;

/** Records the name of a machine, creates the machine, and then its infrastructure and its KubeadmConfig. */
export async function createMachine(scope: Scope, machine: NewMachine): Promise<void> {
  const { context, controlPlane } = scope;
  const template = await readTemplate(scope);
  const name = newName(scope);
  controlPlane.status = { ...controlPlane.status, creatingMachine: name };
  // The decision counts only if the control plane is still as it was when it was made.
  await context.persistStatus({ isStrict: true });
  await applyNew(scope, { name, template, ...machine });
}

interface NamedMachine extends NewMachine {
  readonly name: string;
  readonly template: Frozen<ContractObject>;
}

async function applyNew(
  scope: Scope,
  { name, template, failureDomain, replacementFor }: NamedMachine,
): Promise<void> {
  const { context, controlPlane } = scope;
  const body = machineConfiguration(controlPlane, clusterName(scope), {
    infrastructureRef: cloneReference(template, name),
    configRef: configReference(controlPlane, name),
    version: controlPlane.spec.version,
    failureDomain,
    remediationFor: replacementFor,
  });
  const machine = await applyMachine(scope, name, body);
  context.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created Machine ${name}` });
  await ensureClones(scope, machine, template);
}

/**
 * Continues with a machine whose creation was recorded but not completed before a crash. The record is dropped when the
 * cache shows the machine with its clones.
 */
export async function completeCreation(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, machines } = scope;
  const { creatingMachine: name, ...status } = controlPlane.status ?? {};
  const incomplete = machines.filter(needsClones);
  const isSeen = machines.some(({ metadata }) => metadata.name === name);
  if (incomplete.length === 0 && (name === undefined || isSeen)) {
    if (name !== undefined) controlPlane.status = status;
    return next;
  }
  const template = await readTemplate(scope);
  for (const machine of incomplete) await ensureClones(scope, machine, template);
  if (name === undefined || isSeen) return next;
  const { namespace } = controlPlane.metadata;
  const existing = await context.client.find(Machine, { name, namespace });
  if (existing) await ensureClones(scope, existing, template);
  else await applyNew(scope, { name, template, failureDomain: undefined, replacementFor: undefined });
  return again(0, "CreatingMachine");
}

function needsClones({ metadata, status }: Frozen<Machine>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.infrastructureReady !== true || status.bootstrapReady !== true;
}

/** Creates the infrastructure and the KubeadmConfig of a machine, if they do not exist. */
async function ensureClones(
  scope: Scope,
  machine: Frozen<Machine>,
  template: Frozen<ContractObject>,
): Promise<void> {
  const { context, controlPlane } = scope;
  const { name, namespace } = machine.metadata;
  const patch = { type: "apply", fieldManager: CONTROL_PLANE_FIELD_MANAGER, force: true } as const;
  if (machine.status?.bootstrapReady !== true && !context.cache.get(KubeadmConfig, { name, namespace })) {
    const body = configOf(controlPlane, machine, roleOf(scope, machine));
    const known = await context.client.find(KubeadmConfig, { name, namespace });
    if (!known) await context.client.patch(KubeadmConfig, { name, namespace }, { ...patch, body });
  }
  if (machine.status?.infrastructureReady === true) return;
  const field = `the reference of Machine ${name}`;
  const pointer = { reference: machine.spec.infrastructureRef, field, namespace: namespace ?? "" };
  if ((await resolve(context, pointer)).state === "found") return;
  const { kind, name: target } = targetOf(pointer);
  const body = cloneTemplate(template, {
    name,
    clusterName: clusterName(scope),
    labels: machineLabels(controlPlane, clusterName(scope)),
    annotations: { ...controlPlane.spec.machineTemplate.metadata?.annotations },
    owner: controllerReferenceTo(machine),
  });
  await context.client.patch(kind, target, { ...patch, body });
}

/** Until the cluster is initialized, its one machine initializes it. */
function roleOf({ controlPlane, machines }: Scope, machine: Frozen<Machine>): "init" | "join" {
  const others = machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
  const isAlone = others.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return controlPlane.status?.initialized !== true && isAlone ? "init" : "join";
}

/** The part of a pass that reads the machine template. */
interface TemplateScope {
  readonly context: ObjectReader;
  readonly controlPlane: Frozen<KubeadmControlPlane>;
}

/** Makes the Cluster an owner of the machine template, if the template exists. */
export async function ownMachineTemplate(scope: Scope): Promise<Outcome> {
  const { cluster, context } = scope;
  if (cluster) await ownTemplate(context.client, await resolveTemplate(scope), cluster);
  return next;
}

function resolveTemplate({ context, controlPlane }: TemplateScope): Promise<ResolvedReference> {
  const { namespace = "" } = controlPlane.metadata;
  const reference = controlPlane.spec.machineTemplate.infrastructureRef;
  return resolve(context, { reference, field: TEMPLATE_FIELD, namespace });
}

/** The template of the infrastructure. Throws while it is missing, so that no machine is created that could never boot. */
export async function readTemplate(scope: TemplateScope): Promise<Frozen<ContractObject>> {
  const resolved = await resolveTemplate(scope);
  if (resolved.state === "found") {
    // A template that cannot be cloned is reported before a machine is created.
    cloneTemplate(resolved.object, { name: "x", clusterName: "x" });
    return resolved.object;
  }
  const message = `${TEMPLATE_FIELD}: ${absence(resolved)}`;
  throw waiting("WaitingForTemplate", message, resolved.isFollowed ? undefined : TEMPLATE_RETRY_MS);
}

function newName(scope: Scope): string {
  const { context, controlPlane } = scope;
  const { namespace } = controlPlane.metadata;
  const rng = context.env.rng("machine-names");
  for (;;) {
    const name = newMachineName(controlPlane, clusterName(scope), rng);
    if (!context.cache.get(Machine, { name, namespace })) return name;
  }
}

function applyMachine(
  { context, controlPlane }: Scope,
  name: string,
  body: object,
): Promise<Frozen<Machine>> {
  const { namespace } = controlPlane.metadata;
  const patch = { type: "apply", body, fieldManager: CONTROL_PLANE_FIELD_MANAGER, force: true } as const;
  return context.client.patch(Machine, { name, namespace }, patch);
}

/**
 * Gives existing machines the labels, annotations, timeouts, gates and taints of the template, which need no new machine.
 * After a change of the control plane every machine is written once; otherwise only one that lacks a field.
 */
export async function propagateFields(scope: Scope): Promise<Outcome> {
  const { controlPlane, machines } = scope;
  const isChanged = controlPlane.status?.observedGeneration !== controlPlane.metadata.generation;
  for (const machine of machines) {
    const { name, resourceVersion, deletionTimestamp, annotations } = machine.metadata;
    // The hook of a machine that is being deleted is removed when its member has left etcd, and must not come back.
    if (deletionTimestamp !== undefined) continue;
    const fixed = fixedFieldsOf(machine, parseRecord(annotations?.[REMEDIATION_FOR_ANNOTATION]));
    const desired = machineConfiguration(controlPlane, clusterName(scope), fixed) as {
      readonly metadata: object;
    };
    if (!isChanged && includes(machine, desired)) continue;
    await applyMachine(scope, name, { ...desired, metadata: { ...desired.metadata, resourceVersion } });
  }
  return next;
}

/** Deletes a machine by its UID. */
export async function deleteMachine({ context, machines }: Scope, name: string): Promise<void> {
  const metadata = machines.find((machine) => machine.metadata.name === name)?.metadata;
  if (!metadata) return;
  const { namespace, uid } = metadata;
  try {
    await context.client.delete(Machine, { name, namespace }, uid === undefined ? {} : { uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function clusterName({ cluster }: Scope): string {
  return cluster?.metadata.name ?? "";
}
