import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { GROUP, type Received, startCloud, withScaleSet } from "./cloud.ts";

const SET = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const V = "api-version=2024-07-01";

function remaining(answer: Received): Record<string, number> {
  const entries = (answer.headers["x-ms-ratelimit-remaining-resource"] ?? "")
    .split(",")
    .map((one) => one.split(";"));
  return Object.fromEntries(
    entries.map(([name, tokens]) => [name?.replace("Microsoft.Compute/", "") ?? "", Number(tokens)]),
  );
}

test("answers have the remaining count of each budget", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 3);
  await cloud.scheduler.advance(3_600_000);
  const list = await cloud.send("GET", `${SET}/virtualMachines?${V}`);
  expect(remaining(list)).toEqual({
    HighCostGetVMScaleSetResource: 29,
    HighCostGetVMScaleSetSubscriptionMaximum: 1079,
    VMScaleSetVMViewsSubscriptionMaximum: 29997,
  });
  expect(list.headers).toMatchObject({
    "x-ms-request-charge": "3",
    "x-ms-ratelimit-remaining-subscription-reads": "249",
    "x-ms-ratelimit-remaining-subscription-global-reads": "3749",
  });
  const put = await cloud.send("PATCH", `${SET}?${V}`, { body: { tags: { a: "1" } } });
  expect(put.headers).toMatchObject({
    "x-ms-request-charge": "0",
    "x-ms-ratelimit-remaining-subscription-writes": "199",
  });
  expect(remaining(put)).toEqual({
    VMScaleSetActionsResource: 11,
    VMScaleSetActionsSubscriptionMaximum: 1499,
    VMScaleSetBatchedVMRequestsSubscriptionMaximum: 6000,
    VmssQueuedVMOperations: 0,
  });
});

test("a set takes twelve writes at once and four more each minute", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await cloud.scheduler.advance(3_600_000);
  const write = (): Promise<Received> => cloud.send("PATCH", `${SET}?${V}`, { body: { tags: { a: "1" } } });
  for (let count = 0; count < 12; count++) expect((await write()).status).toBe(200);
  const refused = await write();
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBe("15");
  // Compute's refusal has no envelope around it.
  expect(refused.body).toMatchObject({
    code: "OperationNotAllowed",
    details: [{ code: "TooManyRequests", target: "VMScaleSetActions" }],
  });
  await cloud.scheduler.advance(15_000);
  expect((await write()).status).toBe(200);
});

test("the front door takes 250 reads of a principal at once and 25 more each second", async () => {
  const cloud = startCloud();
  const read = (): Promise<Received> =>
    cloud.send("GET", `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourcegroups?${V}`);
  for (let count = 0; count < 250; count++) expect((await read()).status).toBe(200);
  const refused = await read();
  expect([refused.status, refused.body]).toMatchObject([
    429,
    { error: { code: "SubscriptionRequestsThrottled" } },
  ]);
  expect(refused.headers["retry-after"]).toBe("1");
  await cloud.scheduler.advance(1000);
  expect((await read()).status).toBe(200);
});

test("one hundred sets polled naively run into the limits", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const path = (name: number): string => `${SET.replace(/pool$/, `pool${name}`)}?${V}`;
  const statuses = new Map<number, number>();
  for (let round = 0; round < 10; round++) {
    for (let name = 0; name < 100; name++) {
      const { status } = await cloud.send("GET", path(name));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  expect(statuses.get(429)).toBeGreaterThan(700);
});
