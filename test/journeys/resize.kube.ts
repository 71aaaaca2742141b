import { createRealEnv } from "@capstan/env";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runsAll } from "../sample.ts";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";
import { createReader, READER_LIMIT_MS } from "./reader.ts";

/** In a soak only: the gate has the crash. */
const longTest = test.runIf(runsAll);

const PAGE = "docs/how-to/resize-without-replacing.md";
const FLAGS = ["--feature-gates", "InPlaceUpdates=true", "--updaters", "azure", "--speed", "200"];
const ROLLED_OUT = /MachineDeployment default\/raft-workers is rolled out: 3 of 3 up to date and ready/;

const { dataDir, shell, page, close } = createReader(findKubectls()[0]?.program ?? "");
const { clock } = createRealEnv();
let running: Running;

beforeAll(async () => {
  await up();
  await page(PAGE, { to: 1 });
});
afterAll(() => {
  killAll();
  close();
});

async function up(): Promise<void> {
  running = launch(["up", "--port", "0", "--data-dir", dataDir, ...FLAGS]);
  await running.until(READY);
}

/** Names, UIDs and provider ids of the machines. */
function identities(): Promise<string> {
  return shell(
    "kubectl get machines,azuremachines -o jsonpath='{range .items[*]}{.metadata.uid} {.spec.providerID}{\"\\n\"}{end}'",
  );
}

interface Request {
  readonly method: string;
  readonly operation: string;
  readonly status: number;
}

/** The writes to virtual machines that exist. */
async function writes(): Promise<readonly string[]> {
  const { out } = await capstan("sim", "journal", "--data-dir", dataDir, "--limit", "10000", "-o", "json");
  return (JSON.parse(out) as Request[])
    .filter(
      ({ method, operation }) =>
        method !== "GET" && method !== "PUT" && operation.includes("virtualMachines"),
    )
    .map(({ operation }) => operation);
}

longTest("the page gives three machines another size, and they stay the same", async () => {
  const before = await identities();
  const out = await page(PAGE, { from: 1, to: 2, mayFail: true });
  expect(out).toContain("3 machines updated in place");
  expect(out).toMatch(ROLLED_OUT);
  expect(out.match(/ Standard_D4s_v3$/gm)).toHaveLength(3);
  expect(out.match(/^raft-workers-\S+ +4$/gm)).toHaveLength(3);
  expect(await identities()).toBe(before);
});

test("kill -9 while a machine is deallocated repeats no write and loses no machine", async () => {
  const before = await identities();
  const earlier = (await writes()).length;
  await shell(
    `kubectl patch machinedeployment raft-workers --type merge -p '{"spec":{"template":{"spec":{"infrastructureRef":{"name":"raft-workers-other"}}}}}'`,
  );
  const deadlineMs = clock.monotonic() + READER_LIMIT_MS;
  while ((await writes()).length === earlier && clock.monotonic() < deadlineMs) await clock.sleep(50);
  running.child.kill("SIGKILL");
  await running.ended;
  await up();
  expect(await shell("npx capstan rollout status md/raft-workers")).toMatch(ROLLED_OUT);
  expect(await identities()).toBe(before);
  const counts = new Map<string, number>();
  for (const write of (await writes()).slice(earlier)) counts.set(write, (counts.get(write) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({
    "PATCH virtualMachines": 6,
    "POST virtualMachines/deallocate": 3,
    "POST virtualMachines/start": 3,
  });
});
