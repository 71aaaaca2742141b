import {
  AdjustableClock,
  createRealEnv,
  Scheduler,
  type Transport,
  VirtualProcess,
  withClock,
} from "@capstan/env";
import { expect, test } from "vitest";
import { updaterPorts } from "./updaters.ts";

test("an updater has its time limit on its own clock, however fast the clock of the cluster is", async () => {
  const scheduler = new Scheduler({ seed: "1" });
  const base = new VirtualProcess(scheduler, "machine").clock;
  const clock = new AdjustableClock(base);
  clock.setSpeed(60);
  const afterMs = (delayMs: number): Transport => ({
    request: async ({ signal }) => {
      await base.sleep(delayMs, signal);
      const text = JSON.stringify({ after: delayMs });
      return {
        status: 200,
        headers: {},
        text: () => Promise.resolve(text),
        json: () => Promise.resolve(JSON.parse(text) as unknown),
        lines: async function* () {
          yield await Promise.resolve(text);
        },
      };
    },
    close: () => Promise.resolve(),
  });
  const { updaters } = updaterPorts({
    env: withClock(createRealEnv(), clock),
    client: {} as never,
    assertMayWrite: () => undefined,
    updaters: { connect: ({ url }) => afterMs(Number(new URL(url).pathname.slice(1))) },
  });
  const call = (delayMs: number): Promise<unknown> => {
    const clientConfig = { url: `https://slow.invalid/${delayMs}` };
    const config = { apiVersion: "", kind: "", metadata: { name: "slow" }, spec: { clientConfig } };
    return updaters.hooks.call({ config, hook: "UpdateMachine", path: "", body: {}, timeoutMs: 10_000 });
  };
  const calls = Promise.allSettled([call(5_000), call(15_000)]);
  await scheduler.advance(20_000);
  const [inTime, late] = await calls;
  expect(inTime).toMatchObject({ status: "fulfilled", value: { after: 5_000 } });
  expect(late).toMatchObject({ reason: { message: "did not answer within 10 s" } });
});
