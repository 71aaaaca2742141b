import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import { type Static, mapOf, object, oneOf, optional, quantity, timestamp } from "../schema/schema.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, errorIf, forbidden } from "../values/field-error.ts";
import { azureMachineFields, defaultAzureMachineSpec, azureMachineSpecErrors } from "./azure-machine.ts";
import { NodePrototypingStatus } from "./azure-machine-pool/node-prototyping-status.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { isTopologyDryRun } from "./immutable.ts";
import { unsupportedErrors } from "./not-supported.ts";
import {
  cachingFields,
  machineSpecIn,
  templatePrototypingErrors,
  templatePrototypingWarnings,
} from "./template-prototyping.ts";

const Spec = object(
  "The desired state of the template.",
  {
    template: object("The template of machines.", {
      metadata: optional(TemplateMetadata),
      spec: object(
        "The desired state of the machines.",
        { ...azureMachineFields, ...cachingFields },
        { preserveUnknown: true },
      ),
    }),
  },
  { preserveUnknown: true },
);

const Status = object(
  "The observed state of the template.",
  {
    conditions: optional(Conditions),
    lastImagePrototype: optional(timestamp("When the image of new machines was last renewed.")),
    nodePrototyping: optional(NodePrototypingStatus),
    capacity: optional(mapOf("The resources of a machine, for scaling from zero.", quantity("An amount."))),
    nodeInfo: optional(
      object("The properties of a Node of the template, for scaling from zero.", {
        architecture: optional(oneOf("The processor.", ["amd64", "arm64"])),
        operatingSystem: optional(oneOf("The operating system.", ["linux", "windows"])),
      }),
    ),
  },
  { preserveUnknown: true },
);

type Template = CustomObject<Static<typeof Spec>, Static<typeof Status>>;

/** The template of AzureMachines. */
export const AzureMachineTemplate = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureMachineTemplate",
  plural: "azuremachinetemplates",
  description: "The template of AzureMachines.",
  spec: Spec,
  status: Status,
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec }) => defaultAzureMachineSpec(spec.template.spec),
  validate,
  warn: ({ object: template }) => templatePrototypingWarnings(template),
});

/** The template of AzureMachines. */
export type AzureMachineTemplate = ObjectOf<typeof AzureMachineTemplate>;

function validate(request: AdmissionRequest<Template>): readonly FieldError[] {
  const { object: template, old } = request;
  const path = "spec.template.spec";
  const { spec } = template.spec.template;
  return [
    ...azureMachineSpecErrors(path, spec),
    ...unsupportedErrors(path, spec, old?.spec.template.spec),
    ...templatePrototypingErrors(template),
    ...errorIf(
      old &&
        !isTopologyDryRun(request) &&
        !deepEqual(machineSpecIn(specOf(old)), machineSpecIn(specOf(template))),
      forbidden(path, "cannot change: machines were created from it; create a new template and refer to it"),
    ),
  ];
}

/** Renewals of the image can be switched on and off; everything else is fixed. */
function specOf({ spec }: Frozen<Template>): Frozen<Template>["spec"]["template"]["spec"] {
  return spec.template.spec;
}
