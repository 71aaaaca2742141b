import { describe, expect, test } from "vitest";
import { withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { AzureMachine, type AzureMachineSpec } from "./azure-machine.ts";
import { AzureMachineTemplate } from "./azure-machine-template.ts";

const SPEC: AzureMachineSpec = { vmSize: "Standard_D2s_v3", osDisk: { osType: "Linux", diskSizeGB: 128 } };
const GROUP =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Microsoft.Compute";

const EXTENSION = { name: "agent", publisher: "example", version: "1.0" };
const SCALE_SET = `${GROUP}/virtualMachineScaleSets/flex`;

const machine = (spec: Partial<AzureMachineSpec> = {}): AzureMachine => ({
  apiVersion: AzureMachine.apiVersion,
  kind: AzureMachine.kind,
  metadata: { name: "m", namespace: "default" },
  spec: { ...SPEC, ...spec },
});
const template = (spec: Partial<AzureMachineSpec> = {}): AzureMachineTemplate => ({
  apiVersion: AzureMachineTemplate.apiVersion,
  kind: AzureMachineTemplate.kind,
  metadata: { name: "t", namespace: "default" },
  spec: { template: { spec: { ...SPEC, ...spec } } },
});

describe("an AzureMachine", () => {
  const errors = (object: AzureMachine, old?: AzureMachine): string[] =>
    AzureMachine.validate({ object, ...(old && { old }) }).map(formatFieldError);

  test("gets an interface, diagnostics and slots for its disks", () => {
    const { spec } = withDefaults(
      AzureMachine,
      machine({ dataDisks: [{ nameSuffix: "etcddisk", diskSizeGB: 256 }] }),
    );
    expect(spec).toMatchObject({
      networkInterfaces: [{ privateIPConfigs: 1 }],
      diagnostics: { boot: { storageAccountType: "Managed" } },
      dataDisks: [{ lun: 0, cachingType: "ReadWrite" }],
    });
    expect(errors({ ...machine(), spec })).toEqual([]);
  });

  test.each<[Partial<AzureMachineSpec>, ...string[]]>([
    [
      { osDisk: { osType: "Windows" } },
      'spec.osDisk.osType: Invalid value: "Windows": Windows nodes are not supported yet; use Linux',
    ],
    [
      { disableExtensionOperations: true, vmExtensions: [EXTENSION] },
      "spec.vmExtensions: Forbidden: must be empty when disableExtensionOperations is true",
      expect.stringContaining("spec.vmExtensions: Forbidden: extensions are not supported yet"),
    ],
    [
      { capacityReservationGroupID: "x" },
      'spec.capacityReservationGroupID: Invalid value: "x": must be an ARM id: an id starts with "/subscriptions/", not "x"',
    ],
    [
      { virtualMachineScaleSetID: `${GROUP}/virtualMachines/v` },
      `spec.virtualMachineScaleSetID: Invalid value: "${GROUP}/virtualMachines/v": must be the ARM id of a scale set: its type is not Microsoft.Compute/virtualMachineScaleSets`,
      expect.stringContaining("spec.virtualMachineScaleSetID: Forbidden: machines in a scale set"),
    ],
  ])("is rejected: %j", (spec, ...messages) => {
    expect(errors(machine(spec))).toEqual(messages);
  });

  test("is replaced, not changed", () => {
    expect(errors(machine({ enableIPForwarding: true }), machine())).toEqual([
      "spec.enableIPForwarding: Forbidden: cannot change from unset to true: a VM is replaced, not changed; change the AzureMachineTemplate",
    ]);
    expect(errors(machine({ providerID: "azure:///x", additionalTags: { a: "b" } }), machine())).toEqual([]);
  });
});

describe("an AzureMachineTemplate", () => {
  const errors = (object: AzureMachineTemplate, old?: AzureMachineTemplate): string[] =>
    AzureMachineTemplate.validate({ object, ...(old && { old }) }).map(formatFieldError);

  test("is validated like the machines created from it", () => {
    expect(errors(withDefaults(AzureMachineTemplate, template()))).toEqual([]);
    expect(errors(template({ osDisk: { osType: "Linux", diskSizeGB: 0 } }))).toEqual([
      "spec.template.spec.osDisk.diskSizeGB: Invalid value: 0: must be between 1 and 2048",
    ]);
  });

  test.each<[string, Partial<AzureMachineSpec>, RegExp]>([
    ["identity", { identity: "SystemAssigned" }, /role assignment.*use UserAssigned/],
    ["vmExtensions", { vmExtensions: [EXTENSION] }, /install what they install with the image/],
    ["allocatePublicIP", { allocatePublicIP: true }, /through the network of the cluster/],
    ["virtualMachineScaleSetID", { virtualMachineScaleSetID: SCALE_SET }, /leave it out/],
  ])(
    "is refused with %s, which has no effect yet; one that was stored with it is not",
    (field, spec, instead) => {
      const path = `spec.template.spec.${field}: Forbidden: `;
      const refused = errors(template(spec)).filter((error) => error.startsWith(path));
      expect(refused).toEqual([expect.stringMatching(instead)]);
      expect(errors(template(spec), template(spec)).filter((error) => error.startsWith(path))).toEqual([]);
      const ofMachine = AzureMachine.validate({ object: machine(spec) }).map(formatFieldError);
      expect(ofMachine).toContainEqual(expect.stringMatching(instead));
    },
  );

  test("cannot change", () => {
    expect(errors(template(), template())).toEqual([]);
    expect(errors(template({ vmSize: "Standard_D8s_v5" }), template())).toEqual([
      "spec.template.spec: Forbidden: cannot change: machines were created from it; create a new template and refer to it",
    ]);
  });
});
