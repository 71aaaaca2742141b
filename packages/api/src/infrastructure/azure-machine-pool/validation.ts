import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { durationProblem, parseDuration } from "../../values/duration.ts";
import { type FieldError, forbidden, invalid } from "../../values/field-error.ts";
import { errorIf } from "../error-if.ts";
import { intOrPercentProblem } from "../../values/int-or-percent.ts";
import { validateDiagnostics } from "../diagnostics.ts";
import { validateDataDisks, validateOSDisk } from "../disks.ts";
import { validateImage } from "../image.ts";
import { type ImmutableField, validateImmutable } from "../immutable.ts";
import { validateNetworkInterfaces } from "../network-interface.ts";
import { validateSecurityProfile } from "../security-profile.ts";
import { validateSpot } from "../spot.ts";
import { validateSSHPublicKey } from "../ssh-key.ts";
import { validateIdentity } from "../vm-identity.ts";
import { nodePrototypingOf, validateNodePrototyping } from "./node-prototyping.ts";
import type { AzureMachinePoolSpec, AzureMachinePoolStatus } from "./schema.ts";

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

/** Says what is wrong with a pool beyond its schema. */
export function validateAzureMachinePool(request: AdmissionRequest<Pool>): readonly FieldError[] {
  const { object: pool, old } = request;
  return [
    ...validateTemplate(pool.spec.template),
    ...validateNodePrototyping(pool),
    ...validateIdentity(pool.spec, old?.spec, "spec"),
    ...validateStrategy(pool.spec.strategy),
    ...validateDrainTimeout(pool.spec.nodeDrainTimeout),
    ...validateOrchestrationMode(pool.spec.orchestrationMode),
    ...validateImmutable(pool, old, IMMUTABLE),
  ];
}

/** Says what is allowed in a pool but probably not meant. */
export function warnAzureMachinePool(request: AdmissionRequest<Pool>): readonly string[] {
  const { spec, metadata } = request.object;
  return [
    ...(spec.image?.nodePrototyping
      ? ["spec.image.nodePrototyping is an older place; use spec.template.image.nodePrototyping"]
      : []),
    ...(metadata.annotations?.["nodeCachingInterval"] === undefined
      ? []
      : ["annotation nodeCachingInterval is deprecated; use spec.template.image.nodePrototyping.interval"]),
    ...(spec.template.image?.sharedGallery
      ? ["spec.template.image.sharedGallery is deprecated; use computeGallery"]
      : []),
    ...(nodePrototypingOf(request.object)?.donor === "Restart"
      ? [
          "images of donor: Restart hold the identity of the node they are taken from: whoever reads the gallery could act as it",
        ]
      : []),
  ];
}

function validateTemplate(template: Frozen<AzureMachinePoolSpec["template"]>): readonly FieldError[] {
  const path = "spec.template";
  const { image, osDisk, dataDisks = [], terminateNotificationTimeout: timeout } = template;
  return [
    ...(image ? validateImage(image, `${path}.image`) : []),
    ...validateOSDisk(osDisk, `${path}.osDisk`),
    ...validateDataDisks(dataDisks, `${path}.dataDisks`),
    ...validateSSHPublicKey(template.sshPublicKey, `${path}.sshPublicKey`),
    ...validateNetworkInterfaces(template, path),
    ...validateDiagnostics(template.diagnostics, `${path}.diagnostics`),
    ...validateSecurityProfile(template.securityProfile, osDisk, `${path}.securityProfile`),
    ...validateSpot(template.spotVMOptions, osDisk, `${path}.spotVMOptions`),
    ...errorIf(
      timeout !== undefined && (timeout < 5 || timeout > 15),
      invalid(`${path}.terminateNotificationTimeout`, timeout, "must be between 5 and 15 minutes"),
    ),
  ];
}

function validateStrategy(strategy: Frozen<AzureMachinePoolSpec>["strategy"]): readonly FieldError[] {
  const path = "spec.strategy.rollingUpdate";
  const { maxSurge = 1, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {};
  const errors = [
    ...validateCount(maxSurge, `${path}.maxSurge`),
    ...validateCount(maxUnavailable, `${path}.maxUnavailable`),
  ];
  return errors.length === 0 && isZero(maxSurge) && isZero(maxUnavailable)
    ? [invalid(`${path}.maxUnavailable`, maxUnavailable, "must not be 0 when maxSurge is 0")]
    : errors;
}

function validateCount(count: number | string, path: string): readonly FieldError[] {
  const problem = intOrPercentProblem(count);
  if (problem !== undefined) {
    return [invalid(path, count, problem)];
  }
  return Number.parseInt(String(count), 10) < 0 ? [invalid(path, count, "must not be negative")] : [];
}

function isZero(count: number | string): boolean {
  return Number.parseInt(String(count), 10) === 0;
}

function validateDrainTimeout(timeout: string | undefined): readonly FieldError[] {
  if (timeout === undefined) {
    return [];
  }
  const problem = durationProblem(timeout);
  if (problem !== undefined) {
    return [invalid("spec.nodeDrainTimeout", timeout, problem)];
  }
  return parseDuration(timeout) < 0
    ? [invalid("spec.nodeDrainTimeout", timeout, "must not be negative; 0 means without limit")]
    : [];
}

function validateOrchestrationMode(mode: string | undefined): readonly FieldError[] {
  return mode === "Flexible"
    ? [forbidden("spec.orchestrationMode", "Flexible is not supported yet; use Uniform")]
    : [];
}
