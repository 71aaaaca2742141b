import { DEFAULT_SUBSCRIPTION, type Image } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { all, finish, GROUP, LOCATION, startCloud, withNetwork, withScaleSet } from "./cloud.ts";

const GROUP_ID = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}`;

test("a resource group is created, updated, read, listed and checked for", async () => {
  const { resources } = startCloud();
  const groups = resources.resourceGroups;
  expect((await groups.checkExistence(GROUP)).body).toBe(false);
  const made = await groups.createOrUpdate(GROUP, { location: LOCATION, tags: { a: "1" } });
  expect(made).toMatchObject({
    id: GROUP_ID,
    tags: { a: "1" },
    properties: { provisioningState: "Succeeded" },
  });
  expect((await groups.checkExistence("RG-TEST")).body).toBe(true);
  expect((await groups.update(GROUP, { tags: { b: "2" } })).tags).toEqual({ b: "2" });
  expect((await groups.get(GROUP)).location).toBe(LOCATION);
  expect((await all(groups.list())).map(({ name }) => name)).toEqual([GROUP]);
});

test("lists of groups and resources obey a filter and a page size, and refuse a filter that they do not know", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const { resourceGroups: groups, resources } = cloud.resources;
  await groups.createOrUpdate("other", { location: LOCATION, tags: { stage: "test" } });
  const filter = "tagName eq 'stage' and tagValue eq 'test'";
  expect((await all(groups.list({ filter }))).map(({ name }) => name)).toEqual(["other"]);
  const sets = { filter: "resourceType eq 'Microsoft.Compute/virtualMachineScaleSets'" };
  expect((await all(resources.list(sets))).map(({ name }) => name)).toEqual(["pool"]);
  expect((await all(resources.list({ top: 1 }))).map(({ name }) => name)).toEqual(["net", "pool"]);
  await expect(all(resources.list({ filter: "name like 'x'" }))).rejects.toMatchObject({
    code: "InvalidFilterInQueryString",
  });
});

test("deleting a group takes minutes and everything in it", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const { resourceGroups: groups, resources } = cloud.resources;
  expect((await all(resources.listByResourceGroup(GROUP))).map(({ name }) => name)).toEqual(["net", "pool"]);
  const poller = groups.delete(GROUP);
  await poller.submitted();
  expect((await groups.get(GROUP)).properties?.provisioningState).toBe("Deleting");
  await expect(groups.createOrUpdate(GROUP, { location: LOCATION })).rejects.toMatchObject({
    code: "ResourceGroupBeingDeleted",
  });
  await finish(cloud, poller);
  await expect(groups.get(GROUP)).rejects.toMatchObject({ statusCode: 404, code: "ResourceGroupNotFound" });
  expect(cloud.azure.control.state()).toMatchObject({ resources: [], scaleSets: [] });
  expect(cloud.azure.core.world.usage.used(DEFAULT_SUBSCRIPTION, LOCATION, "cores")).toBe(0);
});

test("a provider that is not registered refuses writes until it is", async () => {
  const cloud = startCloud();
  const { providers } = cloud.resources;
  expect((await providers.get("Microsoft.Compute")).registrationState).toBe("Registered");
  await providers.unregister("Microsoft.Network");
  await expect(withNetwork(cloud)).rejects.toMatchObject({
    statusCode: 409,
    code: "MissingSubscriptionRegistration",
  });
  expect((await providers.register("Microsoft.Network")).registrationState).toBe("Registered");
  await withNetwork(cloud);
  expect((await all(providers.list())).map(({ namespace }) => namespace)).toContain("Microsoft.Network");
});

test("tags of a resource are read, merged, replaced and deleted on their own", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const { tagsOperations: tags } = cloud.resources;
  const scope = `${GROUP_ID}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
  await finish(
    cloud,
    tags.updateAtScope(scope, { operation: "Merge", properties: { tags: { a: "1", b: "2" } } }),
  );
  await finish(cloud, tags.updateAtScope(scope, { operation: "Delete", properties: { tags: { a: "1" } } }));
  expect((await tags.getAtScope(scope)).properties?.tags).toEqual({ b: "2" });
  expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).tags).toEqual({ b: "2" });
  await finish(cloud, tags.createOrUpdateAtScope(scope, { properties: { tags: { c: "3" } } }));
  expect((await tags.getAtScope(scope)).properties?.tags).toEqual({ c: "3" });
  await finish(cloud, tags.deleteAtScope(scope));
  expect((await tags.getAtScope(scope)).properties?.tags).toEqual({});
});

test("skus tell the sizes of a region, usages how much of the quota is taken", async () => {
  const cloud = startCloud({
    settings: { quotas: [{ location: LOCATION, family: "standardDSv3Family", limit: 100 }] },
  });
  await withScaleSet(cloud, 3);
  const skus = await all(cloud.compute.resourceSkus.list({ filter: `location eq '${LOCATION}'` }));
  expect(skus.find(({ name }) => name === "Standard_D2s_v3")).toMatchObject({
    resourceType: "virtualMachines",
    family: "standardDSv3Family",
    locationInfo: [
      {
        zones: ["1", "2", "3"],
        zoneDetails: [{ capabilities: [{ name: "UltraSSDAvailable", value: "True" }] }],
      },
    ],
  });
  const usages = await all(cloud.compute.usage.list(LOCATION));
  expect(usages.find(({ name }) => name.value === "standardDSv3Family")).toMatchObject({
    currentValue: 6,
    limit: 100,
  });
});

test("images of groups, galleries and the community are read as the settings have them", async () => {
  const gallery = `${GROUP_ID}/providers/Microsoft.Compute/galleries/gal/images/node`;
  const images: Image[] = [
    {
      kind: "managed",
      definition: `${GROUP_ID}/providers/Microsoft.Compute/images/old`,
      regions: [LOCATION],
    },
    { kind: "gallery", definition: gallery, version: "1.0.0", regions: [LOCATION] },
    { kind: "gallery", definition: gallery, version: "1.10.0", regions: ["eastus"] },
    { kind: "community", definition: "/CommunityGalleries/capi-1/Images/ubuntu", version: "1.34.1" },
  ];
  const cloud = startCloud({ settings: { images } });
  await cloud.resources.resourceGroups.createOrUpdate(GROUP, { location: LOCATION });
  const { compute } = cloud;
  expect((await compute.images.get(GROUP, "old")).provisioningState).toBe("Succeeded");
  expect((await all(compute.images.listByResourceGroup(GROUP))).length).toBe(1);
  expect((await compute.galleries.get(GROUP, "gal")).name).toBe("gal");
  expect((await compute.galleryImages.get(GROUP, "gal", "node")).osType).toBe("Linux");
  expect((await all(compute.galleryImages.listByGallery(GROUP, "gal"))).length).toBe(1);
  const versions = await all(compute.galleryImageVersions.listByGalleryImage(GROUP, "gal", "node"));
  expect(versions.map(({ name }) => name)).toEqual(["1.0.0", "1.10.0"]);
  expect(
    (await compute.galleryImageVersions.get(GROUP, "gal", "node", "1.0.0")).replicationStatus,
  ).toMatchObject({
    aggregatedState: "Completed",
  });
  expect((await compute.communityGalleries.get(LOCATION, "capi-1")).name).toBe("capi-1");
  expect((await compute.communityGalleryImages.get(LOCATION, "capi-1", "ubuntu")).osType).toBe("Linux");
  expect((await all(compute.communityGalleryImages.list(LOCATION, "capi-1"))).length).toBe(1);
  const shared = await all(compute.communityGalleryImageVersions.list(LOCATION, "capi-1", "ubuntu"));
  expect(shared.map(({ name }) => name)).toEqual(["1.34.1"]);
  expect((await compute.communityGalleryImageVersions.get(LOCATION, "capi-1", "ubuntu", "1.34.1")).name).toBe(
    "1.34.1",
  );
});
