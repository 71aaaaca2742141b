import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ArmIdError,
  type ArmId,
  armIdType,
  formatArmId,
  hasArmType,
  parentArmId,
  parseArmId,
  sameArmId,
} from "./arm-id.ts";

const SUBSCRIPTION = "00000000-0000-0000-0000-0000000000aa";
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/my-rg`;
const VERSION = `${GROUP}/providers/Microsoft.Compute/galleries/g/images/i/versions/1.2.3`;

describe("parseArmId", () => {
  test.each<[string, ArmId]>([
    [`/subscriptions/${SUBSCRIPTION}`, { subscription: SUBSCRIPTION, parts: [] }],
    [GROUP, { subscription: SUBSCRIPTION, resourceGroup: "my-rg", parts: [] }],
    [
      `/SUBSCRIPTIONS/${SUBSCRIPTION.toUpperCase()}/resourcegroups/RG/PROVIDERS/microsoft.compute/virtualmachines/vm`,
      {
        subscription: SUBSCRIPTION.toUpperCase(),
        resourceGroup: "RG",
        provider: "microsoft.compute",
        parts: [{ type: "virtualmachines", name: "vm" }],
      },
    ],
    [
      `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/x`,
      {
        subscription: SUBSCRIPTION,
        provider: "Microsoft.Authorization",
        parts: [{ type: "roleDefinitions", name: "x" }],
      },
    ],
    [
      VERSION,
      {
        subscription: SUBSCRIPTION,
        resourceGroup: "my-rg",
        provider: "Microsoft.Compute",
        parts: [
          { type: "galleries", name: "g" },
          { type: "images", name: "i" },
          { type: "versions", name: "1.2.3" },
        ],
      },
    ],
  ])("takes %s apart", (text, id) => {
    expect(parseArmId(text)).toEqual(id);
  });

  test.each([
    ["", 'an id starts with "/subscriptions/", not ""'],
    ["subscriptions/x", 'an id starts with "/subscriptions/", not "subscriptions/x"'],
    ["/", "segment 1 is empty"],
    ["/subscriptions", "segment 2 must be a subscription id, but the id ends before it"],
    ["/subscriptions/", "segment 2 is empty"],
    ["/subscriptions/me", 'segment 2 must be a subscription id (a GUID), not "me"'],
    ["/tenants/x", 'segment 1 must be "subscriptions", not "tenants"'],
    [`/subscriptions/${SUBSCRIPTION}/groups/x`, 'segment 3 must be "providers", not "groups"'],
    [
      `/subscriptions/${SUBSCRIPTION}/resourceGroups`,
      "segment 4 must be a resource group name, but the id ends before it",
    ],
    [`${GROUP}/`, "segment 5 is empty"],
    [`${GROUP}//providers/P/t/n`, "segment 5 is empty"],
    [
      `${GROUP}/providers`,
      "segment 6 must be a resource provider such as Microsoft.Compute, but the id ends before it",
    ],
    [`${GROUP}/providers/P`, "segment 7 must be a resource type, but the id ends before it"],
    [`${GROUP}/providers/P/t`, "segment 8 must be the name of the t, but the id ends before it"],
    [`${GROUP}/providers/P/t/n/u`, "segment 10 must be the name of the u, but the id ends before it"],
    [
      `${GROUP}/providers/P/t/n/providers/Q/u/m`,
      "segment 9 must be a resource type; extension resources are not supported",
    ],
    [`${GROUP}/providers/P/t/..`, 'segment 8 must be a name, not ".."'],
    [`${GROUP}/providers/P/./n`, 'segment 7 must be a name, not "."'],
    [`${GROUP}/providers/P/t/n?api-version=1`, 'segment 8 "n?api-version=1" must not contain "?"'],
    [`${GROUP}/providers/P/t/n#x`, 'segment 8 "n#x" must not contain "#"'],
    [`${GROUP}/providers/P/t/%2e%2e`, 'segment 8 "%2e%2e" must not contain "%"'],
    [`${GROUP}/providers/P/t/a\\b`, 'segment 8 "a\\\\b" must not contain "\\\\"'],
    [`${GROUP}/providers/P/t/a b`, 'segment 8 "a b" must not contain " "'],
    [`${GROUP}/providers/P/t/a\u0000b`, 'segment 8 "a\\u0000b" must not contain "\\u0000"'],
    [`${GROUP}/providers/P/t/a\u202eb`, `segment 8 "a\u202eb" must not contain "\u202e"`],
    [`/${"a".repeat(5000)}`, "an id has at most 2048 characters, not 5001"],
  ])("rejects %j with the reason", (text, message) => {
    expect(() => parseArmId(text)).toThrow(new ArmIdError(message));
  });

  test("never throws anything but an ArmIdError", () => {
    const piece = fc.oneof(
      fc.constantFrom("subscriptions", "resourceGroups", "providers", SUBSCRIPTION, "", "..", "%"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          parseArmId(`/${pieces.join("/")}`);
        } catch (error) {
          expect(error).toBeInstanceOf(ArmIdError);
        }
      }),
    );
  });
});

const name = fc.stringMatching(/^[A-Za-z0-9_()-][A-Za-z0-9_.()-]{0,20}$/);
const typeName = fc.stringMatching(/^[A-Za-z]{1,20}$/).filter((type) => type.toLowerCase() !== "providers");
const armId: fc.Arbitrary<ArmId> = fc
  .tuple(
    fc.uuid(),
    fc.option(name, { nil: undefined }),
    fc.option(fc.tuple(name, fc.array(fc.record({ type: typeName, name }), { minLength: 1, maxLength: 4 })), {
      nil: undefined,
    }),
  )
  .map(([subscription, resourceGroup, below]) => ({
    subscription,
    ...(resourceGroup !== undefined && { resourceGroup }),
    ...(below && { provider: below[0] }),
    parts: below?.[1] ?? [],
  }));

describe("formatArmId", () => {
  test("is undone by parseArmId", () => {
    fc.assert(
      fc.property(armId, (id) => {
        expect(parseArmId(formatArmId(id))).toEqual(id);
      }),
    );
  });

  test.each<ArmId>([
    { subscription: SUBSCRIPTION, resourceGroup: "a/providers/P/t/n", parts: [] },
    { subscription: SUBSCRIPTION, resourceGroup: "a", provider: "P", parts: [{ type: "t", name: "n/u/m" }] },
    { subscription: SUBSCRIPTION, resourceGroup: "a", provider: "P", parts: [{ type: "t", name: "../n" }] },
    { subscription: SUBSCRIPTION, resourceGroup: "", parts: [] },
    { subscription: "not-a-guid", parts: [] },
  ])("refuses to smuggle another resource: %j", (id) => {
    expect(() => formatArmId(id)).toThrow(ArmIdError);
  });
});

describe("sameArmId", () => {
  test("ignores the case of every segment", () => {
    fc.assert(
      fc.property(armId, (id) => {
        const text = formatArmId(id);
        expect(sameArmId(text.toUpperCase(), text.toLowerCase())).toBe(true);
      }),
    );
  });

  test("distinguishes what Azure distinguishes", () => {
    expect(sameArmId(GROUP, `${GROUP}2`)).toBe(false);
    expect(sameArmId(`${GROUP}k`, `${GROUP}\u212a`)).toBe(false);
  });
});

describe("parentArmId", () => {
  test("climbs from a child resource to its subscription", () => {
    const steps: (string | undefined)[] = [];
    for (let id: ArmId | undefined = parseArmId(VERSION); id; id = parentArmId(id)) {
      steps.push(formatArmId(id));
    }
    expect(steps).toEqual([
      VERSION,
      `${GROUP}/providers/Microsoft.Compute/galleries/g/images/i`,
      `${GROUP}/providers/Microsoft.Compute/galleries/g`,
      GROUP,
      `/subscriptions/${SUBSCRIPTION}`,
    ]);
  });
});

describe("the type of an id", () => {
  test("is the provider and every type below it", () => {
    expect(armIdType(parseArmId(VERSION))).toBe("Microsoft.Compute/galleries/images/versions");
    expect(armIdType(parseArmId(GROUP))).toBeUndefined();
    expect(hasArmType(parseArmId(VERSION), "microsoft.compute/GALLERIES/images/versions")).toBe(true);
    expect(hasArmType(parseArmId(VERSION), "Microsoft.Compute/galleries/images")).toBe(false);
    expect(hasArmType(parseArmId(GROUP), "Microsoft.Compute/galleries")).toBe(false);
  });
});
