import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ArmIdError } from "./arm-id.ts";
import { type ProviderId, formatProviderId, parseProviderId, sameProviderId } from "./provider-id.ts";

const subscription = "00000000-0000-0000-0000-0000000000aa";
const COMPUTE = `azure:///subscriptions/${subscription}/resourceGroups/my-rg/providers/Microsoft.Compute`;

const CASES: readonly (readonly [string, ProviderId])[] = [
  [
    `${COMPUTE}/virtualMachineScaleSets/pool/virtualMachines/12`,
    { kind: "scaleSetInstance", subscription, resourceGroup: "my-rg", scaleSet: "pool", instanceID: "12" },
  ],
  [
    `${COMPUTE}/virtualMachines/pool_0a1b`,
    { kind: "virtualMachine", subscription, resourceGroup: "my-rg", name: "pool_0a1b" },
  ],
  [
    `${COMPUTE}/virtualMachineScaleSets/pool`,
    { kind: "scaleSet", subscription, resourceGroup: "my-rg", scaleSet: "pool" },
  ],
];

describe("parseProviderId", () => {
  test.each(CASES)("reads %s", (text, id) => {
    expect(parseProviderId(text)).toEqual(id);
  });

  test("accepts any case, as Azure does", () => {
    const text = `azure:///subscriptions/${subscription}/RESOURCEGROUPS/R/providers/microsoft.compute/VIRTUALMACHINES/v`;
    expect(parseProviderId(text)).toMatchObject({ kind: "virtualMachine", resourceGroup: "R", name: "v" });
  });

  test("parses the machine of a pool the same in canonical form and in any other case", () => {
    const name = fc.stringMatching(/^[\w. -]{0,4}[\w.-]{0,100}$/);
    fc.assert(
      fc.property(name, name, name, (group, pool, instance) => {
        const read = (type: string): unknown => {
          const text = `azure:///subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${pool}/${type}/${instance}`;
          try {
            return parseProviderId(text);
          } catch (error) {
            return String(error);
          }
        };
        expect(read("virtualMachines")).toEqual(read("VirtualMachines"));
      }),
    );
  });

  test.each([
    ["", 'a provider id starts with "azure:///subscriptions/"'],
    ["aws:///eu-west-1/i-1", 'a provider id starts with "azure:///subscriptions/"'],
    ["azure://subscriptions/x", 'an id starts with "/subscriptions/", not "subscriptions/x"'],
    [`azure:////subscriptions/${subscription}`, "segment 1 is empty"],
    [
      `${COMPUTE}/virtualMachineScaleSets/p/virtualMachines`,
      "segment 10 must be the name of the virtualMachines, but the id ends before it",
    ],
    [
      `${COMPUTE}/disks/d`,
      "a provider id names a Microsoft.Compute/virtualMachines, Microsoft.Compute/virtualMachineScaleSets or Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    ],
    [
      `azure:///subscriptions/${subscription}/providers/Microsoft.Compute/virtualMachines/v`,
      "a provider id names a Microsoft.Compute/virtualMachines, Microsoft.Compute/virtualMachineScaleSets or Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    ],
  ])("rejects %j", (text, message) => {
    expect(() => parseProviderId(text)).toThrow(new ArmIdError(message));
  });
});

describe("formatProviderId", () => {
  test.each(CASES)("writes %s", (text, id) => {
    expect(formatProviderId(id)).toBe(text);
  });

  test("lower-cases the resource group, as the cloud provider does on Nodes", () => {
    const id: ProviderId = { kind: "scaleSet", subscription, resourceGroup: "My-RG", scaleSet: "Pool" };
    expect(formatProviderId(id)).toBe(`${COMPUTE}/virtualMachineScaleSets/Pool`);
  });

  test("is undone by parseProviderId except for the case of the resource group", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
    const where = { subscription: fc.uuid(), resourceGroup: name };
    const id: fc.Arbitrary<ProviderId> = fc.oneof(
      fc.record({ kind: fc.constant("scaleSet" as const), ...where, scaleSet: name }),
      fc.record({
        kind: fc.constant("scaleSetInstance" as const),
        ...where,
        scaleSet: name,
        instanceID: name,
      }),
      fc.record({ kind: fc.constant("virtualMachine" as const), ...where, name }),
    );
    fc.assert(
      fc.property(id, (given) => {
        const lowered = { ...given, resourceGroup: given.resourceGroup.toLowerCase() };
        expect(parseProviderId(formatProviderId(given))).toEqual(lowered);
      }),
    );
  });
});

describe("sameProviderId", () => {
  test("ignores case and nothing else", () => {
    const text = `${COMPUTE}/virtualMachineScaleSets/pool/virtualMachines/1`;
    expect(sameProviderId(text, text.toUpperCase())).toBe(true);
    expect(sameProviderId(text, `${text}0`)).toBe(false);
  });
});
