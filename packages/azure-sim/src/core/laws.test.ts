import fc from "fast-check";
import { expect, test } from "vitest";
import { completeSettings, DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "../settings.ts";
import type { Latencies } from "../latency/latencies.ts";
import { instanceBody, instanceTexts } from "../resources/scale-sets/instance-body.ts";
import { type Core, createCore } from "./core.ts";

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/g`;
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net`;
const SET = `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const DAY_MS = 24 * 3_600_000;

/** A user's next request, and how long to wait before it. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly waitMs: number;
}

function set(capacity: number, size: string, overprovision: boolean): unknown {
  return {
    location: "westus",
    tags: { overprovision: String(overprovision) },
    sku: { name: size, capacity },
    properties: {
      overprovision,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        storageProfile: {
          imageReference: {
            publisher: "Canonical",
            offer: "0001-com-ubuntu-server-jammy",
            sku: "22_04-lts-gen2",
            version: "latest",
          },
        },
        networkProfile: {
          networkInterfaceConfigurations: [
            {
              name: "nic",
              properties: {
                ipConfigurations: [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/s` } } }],
              },
            },
          ],
        },
      },
    },
  };
}

const waitMs = fc.constantFrom(0, 1000, 20_000, 120_000);
const instanceIds = fc.uniqueArray(fc.nat(12).map(String), { minLength: 1, maxLength: 4 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc
      .record({
        capacity: fc.nat(8),
        size: fc.constantFrom("Standard_D2s_v3", "Standard_D4s_v3"),
        over: fc.boolean(),
        waitMs,
      })
      .map((one): Step => ({
        method: "PUT",
        path: SET,
        body: set(one.capacity, one.size, one.over),
        waitMs: one.waitMs,
      })),
    fc
      .record({
        action: fc.constantFrom(
          "delete",
          "manualupgrade",
          "reimage",
          "deallocate",
          "start",
          "poweroff",
          "restart",
        ),
        instanceIds,
        waitMs,
      })
      .map((one): Step => ({
        method: "POST",
        path: `${SET}/${one.action}`,
        body: { instanceIds: one.instanceIds },
        waitMs: one.waitMs,
      })),
    fc
      .record({ id: fc.nat(5), tags: fc.option(fc.constant({ own: "yes" }), { nil: undefined }), waitMs })
      .map((one): Step => ({
        method: "PUT",
        path: `${SET}/virtualMachines/${one.id}`,
        body: { ...(one.tags && { tags: one.tags }) },
        waitMs: one.waitMs,
      })),
    waitMs.map((wait): Step => ({ method: "DELETE", path: SET, waitMs: wait })),
  ),
  { maxLength: 12 },
);

interface RunOptions {
  readonly latencies?: Latencies;
  readonly restMs?: number;
}

/** Sends the steps, waits `restMs` (by default until everything has settled) and reads the set once. */
function run(seed: string, plan: readonly Step[], options: RunOptions = {}): Core {
  const { latencies = "recorded", restMs = DAY_MS } = options;
  const core = createCore({
    seed,
    settings: completeSettings({ isThrottled: false, latencies }),
    isStored: false,
  });
  let nowMs = Date.UTC(2026, 0, 1);
  const send = ({ method, path, query = "", body, waitMs: wait }: Step): void => {
    const { token } = core.tokens.issue(DEFAULT_PRINCIPAL, "https://management.azure.com", nowMs);
    const headers = { authorization: `Bearer ${token}` };
    core.handle({ method, path: `${path}?api-version=2024-07-01${query}`, headers, body }, nowMs);
    nowMs += wait;
  };
  send({ method: "PUT", path: GROUP, body: { location: "westus" }, waitMs: 0 });
  const subnets = [{ name: "s", properties: { addressPrefix: "10.0.0.0/24" } }];
  const properties = { addressSpace: { addressPrefixes: ["10.0.0.0/16"] }, subnets };
  send({ method: "PUT", path: NETWORK, body: { location: "westus", properties }, waitMs: DAY_MS });
  for (const step of plan) send(step);
  core.advance(nowMs + restMs);
  send({ method: "GET", path: SET, waitMs: 0 });
  return core;
}

test("every operation ends, and then capacity, instances, cores and addresses agree", () => {
  fc.assert(
    fc.property(fc.string(), steps, (seed, plan) => {
      const { world } = run(seed, plan);
      const running = [...world.operations.table.entries()].filter(
        ([, { status }]) => status === "InProgress",
      );
      expect(running).toEqual([]);
      const members = [...world.scaleSets.members(SET).values()];
      expect(members.length).toBe(world.scaleSets.get(SET)?.capacity ?? 0);
      expect(members.every(({ state, operation }) => state === "Succeeded" && operation === undefined)).toBe(
        true,
      );
      expect(world.addresses.usedIn(`${NETWORK}/subnets/s`)).toBe(members.length);
      const cores = world.usage.used(DEFAULT_SUBSCRIPTION, "westus", "cores");
      expect(cores > 0).toBe(members.length > 0);
    }),
    { numRuns: 150 },
  );
});

test("a list shows the current instances, regardless of earlier lists", () => {
  fc.assert(
    fc.property(fc.string(), steps, waitMs, fc.boolean(), (seed, plan, restMs, isExpanded) => {
      const query = isExpanded ? "&$expand=instanceView" : "";
      const list: Step = { method: "GET", path: `${SET}/virtualMachines`, query, waitMs: 0 };
      const listedOften = plan.flatMap((step) => [step, list]);
      const { world } = run(seed, listedOften, { restMs });
      const resource = world.resources.get(SET);
      const pool = world.scaleSets.get(SET);
      if (!resource || !pool) return;
      const context = { world, resource, set: pool, isExpanded };
      const members = [...world.scaleSets.members(SET).values()];
      const shown: unknown[] = instanceTexts(context, members).map((text) => JSON.parse(text) as unknown);
      expect(shown).toEqual(members.map((instance) => instanceBody(context, instance)));
    }),
    { numRuns: 150 },
  );
});

test("the same seed gives the same run, another seed a different one", () => {
  const plan: Step[] = [
    { method: "PUT", path: SET, body: set(5, "Standard_D2s_v3", false), waitMs: 60_000 },
    { method: "POST", path: `${SET}/restart`, body: { instanceIds: ["0"] }, waitMs: 60_000 },
  ];
  const trace = (seed: string): string => {
    const core = run(seed, plan);
    const ends = [...core.world.scaleSets.members(SET).values()].map(
      ({ vmId, changedMs }) => `${vmId} ${changedMs}`,
    );
    return JSON.stringify([core.journal.hash, ends]);
  };
  expect(trace("a")).toBe(trace("a"));
  expect(trace("a")).not.toBe(trace("b"));
});

test("a set that shrinks while it has extra instances keeps those that count", () => {
  const { world } = run("extra", [
    { method: "PUT", path: SET, body: set(4, "Standard_D2s_v3", true), waitMs: 0 },
    { method: "PUT", path: SET, body: set(2, "Standard_D2s_v3", true), waitMs: 0 },
  ]);
  expect(world.scaleSets.members(SET).size).toBe(2);
});

test("work on a deleted set does not change a new set with the same name", () => {
  const put = { method: "PUT", path: SET, body: set(1, "Standard_D2s_v3", false), waitMs: 10_000 };
  const always = (seconds: number): { p50: number; p90: number } => ({ p50: seconds, p90: seconds });
  const latencies = {
    "instance.create": always(1000),
    "instance.delete": always(1),
    "scaleSet.delete": always(1),
  };
  const plan = [put, { method: "DELETE", path: SET, waitMs: 500_000 }, put];
  const stateAfter = (restMs: number): string | undefined =>
    run("again", plan, { latencies, restMs }).world.scaleSets.members(SET).get(0)?.state;
  expect(stateAfter(600_000)).toBe("Creating");
  expect(stateAfter(1_000_000)).toBe("Succeeded");
});
