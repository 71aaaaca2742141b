import { describe, expect, test } from "vitest";
import { ITEMS_TAG, itemsTag, mergedBody } from "./merge-body.ts";

const extension = (name: string, version = "1.0") => ({ name, properties: { typeHandlerVersion: version } });
const profiled = (virtualMachineProfile: object, more: object = {}) => ({
  ...more,
  properties: { virtualMachineProfile },
});
const assigned = (...ids: string[]) => ({
  identity: { type: "UserAssigned", userAssignedIdentities: Object.fromEntries(ids.map((id) => [id, {}])) },
});

describe("a write of a scale set", () => {
  test("sends no field that only Azure sets", () => {
    const observed = {
      id: "/x",
      name: "mp",
      type: "t",
      etag: "1",
      properties: { provisioningState: "Succeeded", uniqueId: "u", timeCreated: "t", overprovision: true },
    };
    expect(mergedBody(observed, { properties: { overprovision: false } })).toEqual({
      properties: { overprovision: false, virtualMachineProfile: {} },
    });
  });

  test("keeps fields that this release does not know, at every level that other clients write to", () => {
    const observed = {
      extendedLocation: { name: "edge" },
      properties: {
        automaticRepairsPolicy: { enabled: true },
        virtualMachineProfile: {
          userData: "x",
          osProfile: { allowExtensionOperations: true, linuxConfiguration: { provisionVMAgent: true } },
          storageProfile: { diskControllerType: "NVMe" },
        },
      },
    };
    const desired = profiled({
      osProfile: { customData: "y", linuxConfiguration: { disablePasswordAuthentication: true } },
      storageProfile: { imageReference: { id: "/new" } },
    });
    expect(mergedBody(observed, desired)).toEqual({
      extendedLocation: { name: "edge" },
      properties: {
        automaticRepairsPolicy: { enabled: true },
        virtualMachineProfile: {
          userData: "x",
          osProfile: {
            allowExtensionOperations: true,
            customData: "y",
            linuxConfiguration: { provisionVMAgent: true, disablePasswordAuthentication: true },
          },
          storageProfile: { diskControllerType: "NVMe", imageReference: { id: "/new" } },
        },
      },
    });
  });

  test.each([
    ["plan", { plan: { name: "p" } }],
    ["zones", { zones: ["1"] }],
  ])("removes the field %s when the spec no longer has it", (field, observed) => {
    expect(mergedBody(observed, { location: "here" })).not.toHaveProperty(field);
  });

  test("replaces an image reference as a whole: two ways to name an image exclude each other", () => {
    const observed = profiled({ storageProfile: { imageReference: { publisher: "p", exactVersion: "1" } } });
    const merged = mergedBody(observed, profiled({ storageProfile: { imageReference: { id: "/new" } } }));
    expect(merged).toEqual(profiled({ storageProfile: { imageReference: { id: "/new" } } }));
  });

  test("removes data disks that the spec no longer has", () => {
    const observed = profiled({ storageProfile: { osDisk: {}, dataDisks: [{ lun: 0 }] } });
    expect(mergedBody(observed, profiled({ storageProfile: { osDisk: {} } }))).toEqual(
      profiled({ storageProfile: { osDisk: {} } }),
    );
  });

  test("keeps extensions of other clients, and replaces ours as a whole", () => {
    const ours = profiled({ extensionProfile: { extensions: [extension("ours"), extension("left")] } });
    const extensions = [
      { ...extension("Ours"), suppressFailures: true },
      extension("Left"),
      extension("policy"),
    ];
    const observed = profiled(
      { extensionProfile: { extensions } },
      { tags: { [ITEMS_TAG]: itemsTag(ours) } },
    );
    const desired = profiled({ extensionProfile: { extensions: [extension("ours", "2.0")] } });
    expect(mergedBody(observed, desired)).toMatchObject(
      profiled({ extensionProfile: { extensions: [extension("ours", "2.0"), extension("policy")] } }),
    );
  });

  test("removes no extension of a set whose tag is lost", () => {
    const observed = profiled({ extensionProfile: { extensions: [extension("a")] } });
    expect(mergedBody(observed, profiled({}))).toEqual(observed);
  });

  test.each([
    {
      name: "adds ours to theirs",
      observed: assigned("/their"),
      ours: {},
      desired: assigned("/ours"),
      left: ["/their", "/ours"],
    },
    {
      name: "removes ours",
      observed: assigned("/their", "/OURS"),
      ours: assigned("/ours"),
      desired: {},
      left: ["/their"],
    },
  ])("$name: identities", ({ observed, ours, desired, left }) => {
    const merged = mergedBody({ ...observed, tags: { [ITEMS_TAG]: itemsTag(ours) } }, desired);
    expect(merged).toMatchObject(assigned(...left));
    expect(
      Object.keys((merged as ReturnType<typeof assigned>).identity.userAssignedIdentities).sort(),
    ).toEqual(left.toSorted());
  });

  test("keeps the system-assigned identity of a policy beside ours", () => {
    const merged = mergedBody({ identity: { type: "SystemAssigned", principalId: "p" } }, assigned("/ours"));
    expect(merged["identity"]).toEqual({
      type: "SystemAssigned, UserAssigned",
      userAssignedIdentities: { "/ours": {} },
    });
  });

  test("removes the last identity by Azure's own word for none", () => {
    const observed = { ...assigned("/ours"), tags: { [ITEMS_TAG]: itemsTag(assigned("/ours")) } };
    expect(mergedBody(observed, {})["identity"]).toEqual({ type: "None" });
  });
});

test("the tag of many extensions and identities fits into a tag of Azure", () => {
  const extensions = Array.from({ length: 40 }, (_, index) => extension(`extension-${index}`));
  expect(itemsTag(profiled({ extensionProfile: { extensions } })).length).toBeLessThanOrEqual(256);
});
