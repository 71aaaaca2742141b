import { expect, test } from "vitest";
import { answer, Bench, SUBSCRIPTION } from "./azure.fixture.ts";
import { patientArm } from "./patient-arm.ts";

const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg`;
const NIC = `${GROUP}/providers/Microsoft.Network/networkInterfaces/nic`;
// Azure allows 250 reads at once and 25 a second; a tenth is left to urgent calls.
const AT_ONCE = 225;

test("a call that the budget holds back for a short time waits, and is sent once", async () => {
  const bench = new Bench(() => answer(200, {}));
  const arm = patientArm(bench.arm(), bench.process.clock);
  await bench.run(Promise.all(Array.from({ length: AT_ONCE + 50 }, () => arm.get(NIC))));
  expect(bench.requests).toHaveLength(AT_ONCE + 50);
  expect(bench.scheduler.monotonicMs).toBeGreaterThanOrEqual(2_000);
});

test("a call that would wait longer fails as before, and so does one that Azure throttles", async () => {
  const bench = new Bench(() => answer(200, {}));
  const arm = patientArm(bench.arm(), bench.process.clock);
  const calls = Array.from({ length: AT_ONCE + 200 }, () => arm.get(NIC).catch((error: unknown) => error));
  const failed = (await bench.run(Promise.all(calls))).filter((one) => one instanceof Error);
  expect(failed.length).toBeGreaterThan(0);
  expect(failed[0]).toMatchObject({ code: "RequestBudgetUsedUp" });

  const throttling = new Bench(() =>
    answer(429, { error: { code: "TooManyRequests" } }, { "retry-after": "1" }),
  );
  const refused = patientArm(throttling.arm(), throttling.process.clock).get(NIC);
  expect(await throttling.failure(refused)).toMatchObject({ code: "TooManyRequests" });
  expect(throttling.requests).toHaveLength(1);
});
