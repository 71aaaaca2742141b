/** A data directory that 0.1 left in the middle of updates in place: they go on where they were, and end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  deprecatedConditionsOf,
  Event,
  type Frozen,
  getCondition,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachineSet,
  UPDATE_APPROVED_ANNOTATION,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { killAll } from "../journeys/capstan.ts";
import { loadRows, readObjects } from "./data-rows.ts";
import { startOn } from "./started.ts";

const FIXTURE = "test/upgrade/fixture-0.1-updating";
const WORKERS = { name: "jetty-workers", namespace: "default" };
const WITHIN = { timeout: 60_000, interval: 100 };

const env = createRealEnv();
const folder = mkdtempSync(join(tmpdir(), "capstan-upgrade-"));
const dataDir = join(folder, "data");
afterEach(killAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface MachineRow extends KubernetesObject {
  readonly spec: { readonly version: string; readonly updaters?: readonly string[] };
}

const rows = readObjects(FIXTURE, "management");
const before = rows
  .filter(({ resource }) => resource === `${Machine.group}/${Machine.plural}`)
  .map(({ body }) => body as unknown as MachineRow);
/** What the updaters have said about the workers. */
const decided = (
  rows.find(({ resource }) => resource.endsWith("/machinedeployments"))?.body as MachineDeployment | undefined
)?.status?.inPlace;
const isWorker = ({ metadata }: KubernetesObject): boolean => metadata.name.startsWith(WORKERS.name);

/** The version that each machine has at the end: 0.1 had written one of each kind of machine already. */
const TARGETS = before
  .map((machine) => `${machine.metadata.name} ${isWorker(machine) ? "v1.33.6" : "v1.34.1"}`)
  .toSorted();

const identity = ({ metadata: { name, uid } }: Frozen<KubernetesObject>): string => `${name} ${uid}`;

/** The machines whose updates have ended, with what they run. */
async function updated(client: Client): Promise<readonly string[]> {
  return (await client.list(Machine))
    .filter(({ spec, status }) => spec.updaters === undefined && status?.update === undefined)
    .map(({ metadata, spec, status }) => [metadata.name, spec.version, status?.nodeInfo?.kubeletVersion])
    .flatMap(([name, version, running]) => (version === running ? [`${name} ${version}`] : []))
    .toSorted();
}

/** What this release reports about each machine and its KubeadmConfig, which has the same name. */
async function eventsByMachine(client: Client): Promise<Readonly<Record<string, readonly string[]>>> {
  const reasons = new Map<string, string[]>(before.map(({ metadata }) => [metadata.name, []]));
  for (const { involvedObject, reason = "", count = 1 } of await client.list(Event))
    reasons.get(involvedObject.name ?? "")?.push(...Array.from({ length: count }, () => reason));
  return Object.fromEntries([...reasons].map(([name, found]) => [name, found.toSorted()]));
}

/** An update that 0.1 began has one more event, an ended one none, and one that had to wait has all of them. */
function expectedEvents(machine: MachineRow): readonly string[] {
  const name = machine.metadata.name;
  if (machine.spec.updaters) return ["UpToDate", "UpdaterDone"];
  if (TARGETS.includes(`${name} ${machine.spec.version}`)) return [];
  return ["UpToDate", "UpdaterDone"];
}

/** Approves the update of the workers, whose first machine is done. The updaters were not asked again. */
async function approve(client: Client): Promise<void> {
  await vi.waitFor(async () => {
    const deployment = await client.get(MachineDeployment, WORKERS);
    const complete = getCondition(deprecatedConditionsOf(deployment), "RolloutComplete");
    expect(complete?.reason).toBe("WaitingForApproval");
    expect(deployment.status?.inPlace).toEqual(decided);
  }, WITHIN);
  const sets = await client.list(MachineSet);
  const target = sets.find(({ spec }) => spec.template.spec.version === "v1.33.6");
  const annotations = { [UPDATE_APPROVED_ANNOTATION]: target?.metadata.name };
  await client.patch(MachineDeployment, WORKERS, { type: "merge", body: { metadata: { annotations } } });
}

test("updates in place that 0.1 began go on and end, without a second call or a second approval", async () => {
  loadRows(FIXTURE, { dataDir, nowMs: env.clock.now(), speed: 60 });
  const { client, running } = await startOn(dataDir);
  await approve(client);
  await vi.waitFor(async () => expect(await updated(client)).toEqual(TARGETS), WITHIN);
  expect((await client.list(Machine)).map(identity).toSorted()).toEqual(before.map(identity).toSorted());
  await vi.waitFor(
    async () =>
      expect(await eventsByMachine(client)).toEqual(
        Object.fromEntries(before.map((machine) => [machine.metadata.name, expectedEvents(machine)])),
      ),
    WITHIN,
  );
  running.child.kill("SIGTERM");
  await running.ended;
});
