import { Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { type Arm, AzureError, type Listing, RegionSizes } from "@capstan/azure";
import { Inventory } from "./inventory.ts";

const MINUTE_MS = 60_000;

/** An Azure that can only list and records the requests. */
function lister(answers: () => Listing): { readonly arm: Arm; readonly asked: string[] } {
  const asked: string[] = [];
  const list: Arm["list"] = async (path, options) => {
    asked.push(`${path} ${JSON.stringify(options?.query ?? options?.pages ?? "")}`);
    return answers();
  };
  return { arm: { list } as unknown as Arm, asked };
}

function time() {
  const scheduler = new Scheduler({ seed: "lists" });
  return { scheduler, clock: new VirtualProcess(scheduler, "manager").clock };
}

describe("a list of a subscription", () => {
  const request = { identity: "default/a", collection: "/subscriptions/s/x" };

  test("is shared for a minute by clusters with the same identity", async () => {
    const { scheduler, clock } = time();
    const { arm, asked } = lister(() => ({ items: [{ id: "/subscriptions/S/X/y", tag: 1 }], pages: 2 }));
    const inventory = new Inventory(clock);
    const lists = await Promise.all([1, 2, 3].map(() => inventory.list({ ...request, arm })));
    expect(lists[2]?.get("/subscriptions/s/x/y")).toMatchObject({ tag: 1 });
    expect(asked).toHaveLength(1);
    await inventory.list({ ...request, arm, identity: "default/b" });
    expect(asked).toHaveLength(2);
    await scheduler.advance(MINUTE_MS);
    await inventory.list({ ...request, arm });
    expect(asked[2], "pays for as many pages as there were").toBe("/subscriptions/s/x 2");
  });

  test("that failed is not shared", async () => {
    const { clock } = time();
    let isBroken = true;
    const { arm } = lister(() => {
      if (isBroken) throw new AzureError({ class: "Transient", code: "X", message: "x" });
      return { items: [], pages: 1 };
    });
    const inventory = new Inventory(clock);
    await expect(inventory.list({ ...request, arm })).rejects.toThrow("x");
    isBroken = false;
    expect((await inventory.list({ ...request, arm })).size).toBe(0);
  });
});

describe("the zones of a region", () => {
  const sku = (location: string, zones: readonly string[], resourceType = "virtualMachines") => ({
    resourceType,
    locationInfo: [{ location, zones }],
  });

  test("are those that offer machines, requested once a day", async () => {
    const { scheduler, clock } = time();
    const items = [
      sku("WestEurope", ["3", "1"]),
      sku("westeurope", ["2"]),
      sku("westus", ["9"]),
      sku("westeurope", ["7"], "disks"),
    ];
    const { arm, asked } = lister(() => ({ items, pages: 1 }));
    const regions = new RegionSizes(clock);
    expect((await regions.find(arm, "s", "westeurope"))?.zones).toEqual(["1", "2", "3"]);
    await regions.find(arm, "s", "westeurope");
    expect(asked).toHaveLength(1);
    await scheduler.advance(24 * 60 * MINUTE_MS);
    await regions.find(arm, "s", "westeurope");
    expect(asked).toHaveLength(2);
  });

  test("are unknown where it has no machines at all, and none where it has no zones", async () => {
    const { clock } = time();
    const answers = [
      { items: [], pages: 1 },
      { items: [sku("x", [])], pages: 1 },
    ];
    const { arm } = lister(() => answers.shift() ?? { items: [], pages: 1 });
    expect(await new RegionSizes(clock).find(arm, "s", "mars")).toBeUndefined();
    expect((await new RegionSizes(clock).find(arm, "s", "x"))?.zones).toEqual([]);
  });

  test("of a size leave out those that the subscription may not use, and say which have ultra disks", async () => {
    const { clock } = time();
    const item = {
      ...sku("westeurope", ["1", "2", "3"]),
      name: "Standard_D2s_v3",
      restrictions: [
        { type: "Zone", reasonCode: "NotAvailableForSubscription", restrictionInfo: { zones: ["3"] } },
      ],
    };
    const ultra = [{ name: "UltraSSDAvailable", value: "True" }];
    const place = { zoneDetails: [{ name: ["2", "3"], capabilities: ultra }] };
    const items = [{ ...item, locationInfo: [{ ...item.locationInfo[0], ...place }] }];
    const { arm } = lister(() => ({ items, pages: 1 }));
    const region = await new RegionSizes(clock).find(arm, "s", "westeurope");
    expect(region?.sizes.get("standard_d2s_v3")).toMatchObject({ zones: ["1", "2"], ultraDiskZones: ["2"] });
  });
});
