import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { parseDuration } from "../../values/duration.ts";
import { type FieldError, errorIf, forbidden, invalid } from "../../values/field-error.ts";
import { durationErrors } from "../../values/value-errors.ts";
import { type ImmutableField, immutableFieldErrors } from "../immutable.ts";
import { virtualMachineErrors } from "../virtual-machine.ts";
import { identityErrors } from "../vm-identity.ts";
import { nodePrototypingErrors } from "./node-prototyping.ts";
import type { AzureMachinePoolSpec, AzureMachinePoolStatus } from "./schema.ts";
import { strategyErrors } from "./strategy-rules.ts";

type Pool = CustomObject<AzureMachinePoolSpec, AzureMachinePoolStatus>;

const NEW_POOL = "Azure fixes it when it creates the scale set; create a new pool and delete this one";

const IMMUTABLE: readonly ImmutableField<Frozen<Pool>>[] = [
  { path: "spec.location", read: (pool) => pool.spec.location, instead: NEW_POOL },
  { path: "spec.orchestrationMode", read: (pool) => pool.spec.orchestrationMode, instead: NEW_POOL },
  {
    path: "spec.platformFaultDomainCount",
    read: (pool) => pool.spec.platformFaultDomainCount,
    instead: NEW_POOL,
  },
  {
    path: "spec.template.osDisk.managedDisk.storageAccountType",
    read: (pool) => pool.spec.template.osDisk.managedDisk?.storageAccountType,
    instead: NEW_POOL,
  },
  {
    path: "spec.template.osDisk.diffDiskSettings",
    read: (pool) => pool.spec.template.osDisk.diffDiskSettings,
    instead: NEW_POOL,
  },
  {
    path: "spec.template.spotVMOptions",
    read: (pool) => (pool.spec.template.spotVMOptions ? "spot" : "regular"),
    instead: NEW_POOL,
  },
  {
    path: "spec.template.spotVMOptions.evictionPolicy",
    read: (pool) => pool.spec.template.spotVMOptions?.evictionPolicy,
    instead: NEW_POOL,
    maySetLater: true,
  },
  {
    path: "spec.template.disableVMBootstrapExtension",
    read: (pool) => pool.spec.template.disableVMBootstrapExtension,
    instead: "it holds for the life of a pool once set; create a new pool and delete this one",
    maySetLater: true,
  },
];

/** Validates a pool beyond its schema. */
export function azureMachinePoolErrors(request: AdmissionRequest<Pool>): readonly FieldError[] {
  const { object: pool, old } = request;
  return [
    ...templateErrors(pool.spec.template),
    ...nodePrototypingErrors(pool),
    ...identityErrors("spec", pool.spec, old?.spec),
    ...systemAssignedErrors(pool.spec.identity, old?.spec.identity),
    ...strategyErrors(pool.spec.strategy, old?.spec.strategy),
    ...drainTimeoutErrors(pool.spec.nodeDrainTimeout),
    ...orchestrationModeErrors(pool.spec.orchestrationMode),
    ...immutableFieldErrors(pool, old, IMMUTABLE),
    ...(old ? [] : nameErrors(pool.metadata.name)),
  ];
}

// Azure appends six characters to the name of each machine, and a computer name has at most 64.
const NAME_LENGTH = 58;

function nameErrors(name: string): readonly FieldError[] {
  return errorIf(
    name.length > NAME_LENGTH,
    invalid(
      "metadata.name",
      name,
      `must be no more than ${NAME_LENGTH} characters: machines are named after it`,
    ),
  );
}

function templateErrors(template: Frozen<AzureMachinePoolSpec["template"]>): readonly FieldError[] {
  const path = "spec.template";
  const { terminateNotificationTimeout: timeout } = template;
  return [
    ...virtualMachineErrors(path, template),
    ...errorIf(
      timeout !== undefined && (timeout < 5 || timeout > 15),
      invalid(`${path}.terminateNotificationTimeout`, timeout, "must be between 5 and 15 minutes"),
    ),
  ];
}

function drainTimeoutErrors(timeout: string | undefined): readonly FieldError[] {
  const path = "spec.nodeDrainTimeout";
  const errors = durationErrors(path, timeout);
  return errors.length === 0 && timeout !== undefined && parseDuration(timeout) < 0
    ? [invalid(path, timeout, "must not be negative; 0 means without limit")]
    : errors;
}

// A pool that has it already must still be editable, so that a user can fix or delete it; its condition reports the
// same.
function systemAssignedErrors(identity: string | undefined, old: string | undefined): readonly FieldError[] {
  const detail =
    "needs a role assignment, which is not made yet; use UserAssigned with an identity that has its roles";
  return errorIf(
    identity === "SystemAssigned" && old !== identity,
    invalid("spec.identity", identity, detail),
  );
}

function orchestrationModeErrors(mode: string | undefined): readonly FieldError[] {
  return mode === "Flexible"
    ? [forbidden("spec.orchestrationMode", "Flexible is not supported yet; use Uniform")]
    : [];
}
