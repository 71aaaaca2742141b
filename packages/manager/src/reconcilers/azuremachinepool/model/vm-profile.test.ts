import { AzureMachinePool, withDefaults } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { vmProfile } from "./vm-profile.ts";

type Template = Partial<AzureMachinePool["spec"]["template"]>;

const context = {
  name: "pool",
  version: "v1.34.1",
  subnetID: (name = "nodes") => `/subnets/${name}`,
  outboundPoolID: "/pools/out",
};

const profileOf = (template: Template = {}) =>
  vmProfile(withDefaults(AzureMachinePool, azureMachinePool({ spec: { template } })), context);

describe("the profile of a pool's machines", () => {
  test("has the reference image of its version, a key and a network when nothing else is said", () => {
    const sshPublicKey = Buffer.from("ssh-ed25519 AAAA me\n").toString("base64");
    expect(profileOf({ sshPublicKey })).toEqual({
      osProfile: {
        computerNamePrefix: "pool",
        adminUsername: "capi",
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ssh: { publicKeys: [{ path: "/home/capi/.ssh/authorized_keys", keyData: "ssh-ed25519 AAAA me" }] },
        },
      },
      storageProfile: {
        imageReference: {
          communityGalleryImageId:
            "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/capi-ubun2-2404/Versions/1.34.1",
        },
        osDisk: { osType: "Linux", createOption: "FromImage", caching: "None" },
      },
      networkProfile: {
        networkInterfaceConfigurations: [
          {
            name: "pool-nic-0",
            properties: {
              primary: true,
              enableIPForwarding: true,
              ipConfigurations: [
                {
                  name: "ipConfig0",
                  properties: {
                    primary: true,
                    subnet: { id: "/subnets/nodes" },
                    loadBalancerBackendAddressPools: [{ id: "/pools/out" }],
                  },
                },
              ],
            },
          },
        ],
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    });
  });

  test.each<[string, Template, string, unknown]>([
    ["an image by its id", { image: { id: "/x" } }, "storageProfile.imageReference", { id: "/x" }],
    [
      "an image of the marketplace",
      { image: { marketplace: { publisher: "p", offer: "o", sku: "s", version: "1" } } },
      "storageProfile.imageReference",
      { publisher: "p", offer: "o", sku: "s", version: "1" },
    ],
    [
      "an image of a private gallery",
      {
        image: {
          computeGallery: { gallery: "g", name: "i", version: "1", subscriptionID: "s", resourceGroup: "r" },
        },
      },
      "storageProfile.imageReference",
      { id: "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/i/versions/1" },
    ],
    ["spot machines", { spotVMOptions: { maxPrice: "0.5" } }, "billingProfile", { maxPrice: 0.5 }],
    [
      "no diagnostics",
      { diagnostics: { boot: { storageAccountType: "Disabled" } } },
      "diagnosticsProfile.bootDiagnostics",
      { enabled: false },
    ],
    [
      "an announcement of deletions",
      { terminateNotificationTimeout: 7 },
      "scheduledEventsProfile.terminateNotificationProfile",
      { enable: true, notBeforeTimeout: "PT7M" },
    ],
    [
      "a data disk",
      {
        dataDisks: [
          {
            nameSuffix: "etcd",
            diskSizeGB: 64,
            lun: 3,
            cachingType: "ReadOnly",
            managedDisk: { storageAccountType: "Premium_LRS" },
          },
        ],
      },
      "storageProfile.dataDisks",
      [
        {
          name: "etcd",
          createOption: "Empty",
          diskSizeGB: 64,
          lun: 3,
          caching: "ReadOnly",
          managedDisk: { storageAccountType: "Premium_LRS" },
        },
      ],
    ],
    [
      "an extension",
      { vmExtensions: [{ name: "agent", publisher: "p", version: "1.0", settings: { a: "b" } }] },
      "extensionProfile.extensions",
      [
        {
          name: "agent",
          properties: { publisher: "p", type: "agent", typeHandlerVersion: "1.0", settings: { a: "b" } },
        },
      ],
    ],
  ])("has %s when asked for", (_, template, path, expected) => {
    expect(profileOf(template)).toHaveProperty(path, expected);
  });

  test("has one interface for each that is asked for, and reaches out by the first address only", () => {
    const profile = profileOf({
      networkInterfaces: [{ privateIPConfigs: 2 }, { subnetName: "storage", acceleratedNetworking: true }],
    });
    const text = JSON.stringify(profile["networkProfile"]);
    expect(text.match(/loadBalancerBackendAddressPools/g)).toHaveLength(1);
    expect(text.match(/"primary":true,"enableIPForwarding"/g)).toHaveLength(1);
    expect(text).toContain('"enableAcceleratedNetworking":true');
    expect(text).toContain("/subnets/storage");
  });
});
