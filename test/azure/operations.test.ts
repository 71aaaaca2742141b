import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import {
  type Cloud,
  GROUP,
  LOCATION,
  type Received,
  startCloud,
  withNetwork,
  withScaleSet,
} from "./cloud.ts";

const VERSION = "api-version=2024-07-01";
const SET = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const IP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Network/publicIPAddresses/ip`;

const SOME_TEXT: unknown = expect.any(String);
const A_GUID: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);

function pathIn(answer: Received, header: "azure-asyncoperation" | "location"): string {
  const url = new URL(answer.headers[header] ?? "");
  return `${url.pathname}${url.search}`;
}

async function restart(cloud: Cloud): Promise<Received> {
  return await cloud.send("POST", `${SET}/restart?${VERSION}`, { body: { instanceIds: ["0"] } });
}

test("an action answers 202 with two signed URLs of about 4 KB and a Retry-After", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const answer = await restart(cloud);
  expect(answer.status).toBe(202);
  expect(answer.body).toBeUndefined();
  expect(answer.headers["azure-asyncoperation"]?.length).toBeGreaterThan(3800);
  expect(answer.headers["location"]).toContain("&monitor=true&");
  expect(answer.headers).toMatchObject({ "retry-after": "10", "azure-asyncnotification": "Enabled" });
});

test("Compute's status has times and name, and the result is 202 and then 200 without a body", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const answer = await restart(cloud);
  const [status, result] = [pathIn(answer, "azure-asyncoperation"), pathIn(answer, "location")];
  expect((await cloud.send("GET", status)).body).toMatchObject({
    status: "InProgress",
    startTime: SOME_TEXT,
  });
  expect((await cloud.send("GET", result)).status).toBe(202);
  await cloud.scheduler.advance(3_600_000);
  expect((await cloud.send("GET", status)).body).toMatchObject({
    status: "Succeeded",
    endTime: SOME_TEXT,
    name: A_GUID,
  });
  const done = await cloud.send("GET", result);
  expect([done.status, done.body]).toEqual([200, undefined]);
});

test("Network's status has only the status", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const made = await cloud.send("PUT", `${IP}?${VERSION}`, { body: { location: LOCATION } });
  expect(made.status).toBe(201);
  const status = await cloud.send("GET", pathIn(made, "azure-asyncoperation"));
  expect(status.body).toEqual({ status: "InProgress" });
});

test("a preempted operation is canceled and names its successor", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const older = await cloud.send("PATCH", `${SET}?${VERSION}`, { body: { sku: { capacity: 2 } } });
  await cloud.send("PATCH", `${SET}?${VERSION}`, { body: { sku: { capacity: 3 } } });
  expect((await cloud.send("GET", pathIn(older, "azure-asyncoperation"))).body).toMatchObject({
    status: "Canceled",
    error: { code: "OperationPreempted" },
  });
});

test("a truncated or unsigned URL is refused", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const path = pathIn(await restart(cloud), "azure-asyncoperation");
  const cut = await cloud.send("GET", path.slice(0, path.indexOf("&s=")));
  expect([cut.status, cut.body]).toMatchObject([400, { error: { code: "InvalidParameter" } }]);
  const foreign = await cloud.send("GET", `${path}x`);
  expect([foreign.status, foreign.body]).toMatchObject([404, { error: { code: "OperationNotFound" } }]);
});

test("an operation is removed a day after its end", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const path = pathIn(await restart(cloud), "azure-asyncoperation");
  await cloud.scheduler.advance(26 * 3_600_000);
  expect((await cloud.send("GET", path)).body).toMatchObject({ error: { code: "OperationNotFound" } });
});

test("instances become ready without a poll", async () => {
  const cloud = startCloud();
  const booted: number[] = [];
  cloud.azure.core.onMachine(({ kind, atMs }) => void (kind === "booted" && booted.push(atMs)));
  await withNetwork(cloud);
  const before = cloud.scheduler.wallMs;
  const body = {
    location: LOCATION,
    sku: { name: "Standard_D2s_v3", capacity: 3 },
    properties: {
      overprovision: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        storageProfile: {
          imageReference: {
            communityGalleryImageId:
              "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/capi-ubun2-2404/Versions/1.34.1",
          },
        },
        networkProfile: {
          networkInterfaceConfigurations: [
            {
              name: "nic",
              properties: {
                ipConfigurations: [
                  {
                    name: "ip",
                    properties: {
                      subnet: {
                        id: SET.replace(
                          /Microsoft.Compute.*/,
                          "Microsoft.Network/virtualNetworks/net/subnets/nodes",
                        ),
                      },
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    },
  };
  expect((await cloud.send("PUT", `${SET}?${VERSION}`, { body })).status).toBe(201);
  await cloud.scheduler.advance(3_600_000);
  expect(booted.length).toBe(3);
  expect(new Set(booted).size).toBe(3);
  expect(Math.min(...booted)).toBeGreaterThan(before);
});
