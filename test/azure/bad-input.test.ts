import { DEFAULT_SUBSCRIPTION, type Image } from "@capstan/azure-sim";
import { describe, expect, test } from "vitest";
import { mergePatch } from "../../packages/azure-sim/src/json.ts";
import {
  type Cloud,
  finish,
  GROUP,
  LOCATION,
  scaleSet,
  startCloud,
  withNetwork,
  withScaleSet,
} from "./cloud.ts";

const S = `/subscriptions/${DEFAULT_SUBSCRIPTION}`;
const G = `${S}/resourceGroups/${GROUP}`;
const SET = `${G}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const V = "api-version=2024-07-01";

const SOME_TEXT: unknown = expect.any(String);
const containing = (text: string): unknown => expect.stringContaining(text);

/** A request that ARM refuses: method, path, then status and code. */
const REFUSED: readonly (readonly [string, string, number, string, unknown?])[] = [
  ["GET", SET, 400, "MissingApiVersionParameter"],
  ["GET", `${SET}?api-version=`, 400, "MissingApiVersionParameter"],
  ["GET", `${SET}?api-version=latest`, 400, "InvalidApiVersionParameter"],
  ["GET", `${SET}?api-version=2010-01-01`, 400, "NoRegisteredProviderFound"],
  ["GET", `/subscriptions/me?${V}`, 400, "InvalidSubscriptionId"],
  ["GET", `/subscriptions/99999999-0000-0000-0000-000000000000?${V}`, 404, "SubscriptionNotFound"],
  ["GET", `/elsewhere?${V}`, 404, "InvalidResourceId"],
  ["GET", `${S}/resourceGroups//x?${V}`, 404, "InvalidResourceId"],
  ["GET", `${G}/providers/Microsoft.Nothing/things/a?${V}`, 404, "InvalidResourceNamespace"],
  ["GET", `${G}/providers/Microsoft.Compute/things/a?${V}`, 404, "InvalidResourceType"],
  ["GET", `${S}/things?${V}`, 404, "InvalidResourceType"],
  ["POST", `${SET}/dance?${V}`, 404, "InvalidResourceType"],
  ["GET", `${SET}/restart?${V}`, 405, "MethodNotAllowed"],
  ["PATCH", `${S}?${V}`, 405, "MethodNotAllowed"],
  ["GET", `${SET}?${V}`, 404, "ResourceNotFound"],
  ["GET", `${SET.replace(GROUP, "none")}?${V}`, 404, "ResourceGroupNotFound"],
  ["PUT", `${S}/resourceGroups/bad^name?${V}`, 400, "InvalidResourceGroup", { location: LOCATION }],
  ["PUT", `${S}/resourceGroups/new?${V}`, 400, "LocationRequired", {}],
  ["PUT", `${S}/resourceGroups/new?${V}`, 400, "LocationNotAvailableForResourceGroup", { location: "mars" }],
  ["PUT", `${G}?${V}`, 409, "InvalidResourceGroupLocation", { location: "eastus" }],
  ["PUT", `${SET}?${V}`, 400, "InvalidRequestContent"],
  ["PUT", `${SET}?${V}`, 400, "InvalidRequestContent", "{ not json"],
  ["PUT", `${SET}?${V}`, 400, "InvalidRequestContent", "[]"],
  ["PUT", `${SET}?${V}`, 400, "LocationRequired", {}],
  ["PUT", `${SET}?${V}`, 400, "LocationNotAvailableForResourceType", { location: "mars" }],
  ["PUT", `${SET}?${V}`, 400, "InvalidParameter", { location: LOCATION, sku: { name: "Huge", capacity: 1 } }],
  ["GET", `${S}/providers/Microsoft.Compute/skus?${V}&$filter=name eq 'x'`, 400, "InvalidParameter"],
  ["GET", `${S}/resourcegroups?${V}&$skiptoken=here`, 400, "InvalidSkipToken"],
  [
    "PUT",
    `${G}/providers/Microsoft.Network/virtualNetworks/v?${V}`,
    400,
    "InvalidAddressPrefixFormat",
    { location: LOCATION, properties: { addressSpace: { addressPrefixes: ["10.0.0.1/16"] } } },
  ],
  [
    "PUT",
    `${G}/providers/Microsoft.Network/virtualNetworks/none/subnets/a?${V}`,
    404,
    "ParentResourceNotFound",
    { properties: { addressPrefix: "10.0.0.0/24" } },
  ],
];

for (const [method, path, status, code, body] of REFUSED) {
  test(`${method} ${path} with ${JSON.stringify(body)} is refused with ${status} ${code}`, async () => {
    const cloud = startCloud();
    await withNetwork(cloud);
    const answer = await cloud.send(method, path, { body });
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code, message: SOME_TEXT } }]);
    expect(answer.headers["x-ms-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
}

test("content of another type than JSON is refused", async () => {
  const cloud = startCloud();
  const answer = await cloud.send("PUT", `${G}?${V}`, {
    body: "<a/>",
    headers: { "content-type": "text/xml" },
  });
  expect([answer.status, answer.body]).toMatchObject([415, { error: { code: "UnsupportedMediaType" } }]);
});

describe("scale sets", () => {
  const put = (cloud: Cloud, change: Parameters<typeof scaleSet>[1], capacity = 1): Promise<void> =>
    cloud.compute.virtualMachineScaleSets
      .createOrUpdate(GROUP, "pool", scaleSet(capacity, change))
      .submitted();

  test.each([-1, 1001, 1.5])("a capacity of %d is refused and names the range", async (capacity) => {
    const cloud = startCloud();
    await withNetwork(cloud);
    await expect(put(cloud, {}, capacity)).rejects.toMatchObject({
      statusCode: 400,
      code: "InvalidParameter",
      message: containing("from 0 to 1000"),
    });
  });

  test("an operating system without credentials is refused; a key or a password is enough", async () => {
    const cloud = startCloud();
    await withNetwork(cloud);
    const { osProfile, ...profile } = scaleSet(1).virtualMachineProfile ?? {};
    const withLogin = (ssh: object, adminPassword?: string): Parameters<typeof scaleSet>[1] => ({
      virtualMachineProfile: {
        ...profile,
        osProfile: {
          ...osProfile,
          ...(adminPassword !== undefined && { adminPassword }),
          linuxConfiguration: { disablePasswordAuthentication: true, ...ssh },
        },
      },
    });
    const refusal = { statusCode: 400, code: "InvalidParameter", message: containing("using either SSH or") };
    await expect(put(cloud, withLogin({}))).rejects.toMatchObject(refusal);
    await expect(put(cloud, withLogin({ ssh: { publicKeys: [] } }))).rejects.toMatchObject(refusal);
    await put(cloud, withLogin({ ssh: { publicKeys: [{ path: "/p", keyData: "ssh-ed25519 AAAA" }] } }));
    await put(cloud, withLogin({}, "secret"));
  });

  test("a stored scale set without credentials can still be resized", async () => {
    const cloud = startCloud();
    await withScaleSet(cloud, 1);
    const { resources } = cloud.azure.core.world;
    const stored = resources.get(SET);
    if (!stored) throw new Error("the set is not stored");
    const linuxConfiguration = { disablePasswordAuthentication: true };
    const older = { properties: { virtualMachineProfile: { osProfile: { linuxConfiguration } } } };
    resources.put({ ...stored, body: mergePatch(stored.body, older) as typeof stored.body });
    const sets = cloud.compute.virtualMachineScaleSets;
    await finish(cloud, sets.update(GROUP, "pool", { sku: { capacity: 2 } }));
    expect((await sets.get(GROUP, "pool")).sku?.capacity).toBe(2);
  });

  test("an image that does not exist or is not in the region is refused", async () => {
    const images: Image[] = [
      {
        kind: "gallery",
        definition: `${G}/providers/Microsoft.Compute/galleries/g/images/i`,
        version: "1.0.0",
        regions: ["eastus"],
      },
    ];
    const cloud = startCloud({ settings: { images } });
    await withNetwork(cloud);
    const profile = scaleSet(1).virtualMachineProfile;
    const withImage = (imageReference: object): Parameters<typeof scaleSet>[1] => ({
      virtualMachineProfile: { ...profile, storageProfile: { imageReference } },
    });
    const image = images[0]?.definition ?? "";
    const marketplace = { publisher: "a", offer: "b", sku: "c", version: "latest" };
    await expect(put(cloud, withImage(marketplace))).rejects.toMatchObject({ code: "PlatformImageNotFound" });
    await expect(put(cloud, withImage({ id: `${image}/versions/2.0.0` }))).rejects.toMatchObject({
      code: "GalleryImageNotFound",
    });
    await expect(put(cloud, withImage({ id: `${image}/versions/1.0.0` }))).rejects.toMatchObject({
      code: "GalleryImageNotFound",
      message: containing("not available in westus region"),
    });
  });

  test("more cores than the quota has are refused, and nothing is left behind", async () => {
    const quotas = [{ location: LOCATION, family: "standardDSv3Family", limit: 10 }];
    const cloud = startCloud({ settings: { quotas } });
    await withScaleSet(cloud, 4);
    await expect(put(cloud, {}, 6)).rejects.toMatchObject({
      statusCode: 409,
      code: "OperationNotAllowed",
      message: containing("Current Limit: 10, Current Usage: 8, Additional Required: 4"),
    });
    expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).sku?.capacity).toBe(4);
  });

  test("a subnet without enough addresses is refused", async () => {
    const cloud = startCloud();
    await withNetwork(cloud);
    const { subnets } = cloud.network;
    const small = await finish(
      cloud,
      subnets.createOrUpdate(GROUP, "net", "small", { addressPrefix: "10.2.0.0/29" }),
    );
    const profile = scaleSet(1).virtualMachineProfile;
    const networkProfile = {
      networkInterfaceConfigurations: [
        { name: "nic", primary: true, ipConfigurations: [{ name: "ip", subnet: { id: small.id ?? "" } }] },
      ],
    };
    const change = { virtualMachineProfile: { ...profile, networkProfile } };
    await expect(put(cloud, change, 4)).rejects.toMatchObject({ statusCode: 400, code: "SubnetIsFull" });
    await put(cloud, change, 3);
  });

  test("where the region has no room the operation fails and so do the instances beyond", async () => {
    const capacities = [{ location: LOCATION, size: "Standard_D2s_v3", instances: 2 }];
    const cloud = startCloud({ settings: { capacities } });
    await withNetwork(cloud);
    const poller = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(3));
    await expect(finish(cloud, poller)).rejects.toThrow("AllocationFailed");
    expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).provisioningState).toBe("Failed");
    const view = await cloud.compute.virtualMachineScaleSets.getInstanceView(GROUP, "pool");
    expect(view.virtualMachine?.statusesSummary).toEqual([
      { code: "ProvisioningState/succeeded", count: 2 },
      { code: "ProvisioningState/failed/AllocationFailed", count: 1 },
    ]);
  });

  test("an action that names an unknown instance, or none, is refused", async () => {
    const cloud = startCloud();
    await withScaleSet(cloud, 1);
    const sets = cloud.compute.virtualMachineScaleSets;
    await expect(
      sets.deleteInstances(GROUP, "pool", { instanceIds: ["9"] }).submitted(),
    ).rejects.toMatchObject({
      code: "InvalidParameter",
      message: containing("instanceId 9 is not an active"),
    });
    const none = await cloud.send("POST", `${SET}/delete?${V}`, { body: {} });
    expect([none.status, none.body]).toMatchObject([400, { error: { target: "instanceIds" } }]);
  });

  test("a body that is nested 20,000 levels deep is refused, and not answered with 500", async () => {
    const cloud = startCloud();
    const body = `{"location":"${LOCATION}","tags":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    const headers = { "content-type": "application/json" };
    const { status, body: answer } = await cloud.send("PUT", `${S}/resourceGroups/deep?${V}`, {
      body,
      headers,
    });
    expect([status, answer]).toMatchObject([
      400,
      { error: { code: "InvalidRequestContent", message: containing("nested deeper than 100 levels") } },
    ]);
  });
});
