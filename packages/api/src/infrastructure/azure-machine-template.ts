import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import { type Static, mapOf, object, oneOf, optional, quantity } from "../schema/schema.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, errorIf, forbidden } from "../values/field-error.ts";
import { AzureMachineSpec, defaultAzureMachineSpec, azureMachineSpecErrors } from "./azure-machine.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";

const Spec = object(
  "The wanted state of the template.",
  {
    template: object("What machines are made from.", {
      metadata: optional(TemplateMetadata),
      spec: AzureMachineSpec,
    }),
  },
  { preserveUnknown: true },
);

const Status = object(
  "The observed state of the template.",
  {
    capacity: optional(mapOf("What a machine offers, for scaling from zero.", quantity("An amount."))),
    nodeInfo: optional(
      object("What a Node of the template is like, for scaling from zero.", {
        architecture: optional(oneOf("The processor.", ["amd64", "arm64"])),
        operatingSystem: optional(oneOf("The operating system.", ["linux", "windows"])),
      }),
    ),
  },
  { preserveUnknown: true },
);

type Template = CustomObject<Static<typeof Spec>, Static<typeof Status>>;

/** What AzureMachines are made from. */
export const AzureMachineTemplate = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureMachineTemplate",
  plural: "azuremachinetemplates",
  description: "What AzureMachines are made from.",
  spec: Spec,
  status: Status,
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec }) => defaultAzureMachineSpec(spec.template.spec),
  validate,
});

/** What AzureMachines are made from. */
export type AzureMachineTemplate = ObjectOf<typeof AzureMachineTemplate>;

function validate({ object: template, old }: AdmissionRequest<Template>): readonly FieldError[] {
  const path = "spec.template.spec";
  const { spec } = template.spec.template;
  return [
    ...azureMachineSpecErrors(path, spec),
    ...errorIf(
      old && !deepEqual(old.spec.template.spec, spec),
      forbidden(path, "cannot change: machines were made from it; create a new template and refer to it"),
    ),
  ];
}
