import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveHttp } from "@capstan/env";
import type { Condition, KubernetesObject } from "@capstan/api";
import { kubeadmControlPlane, machineDeployment } from "@capstan/runtime/testing/builders";
import { afterAll, expect, test } from "vitest";
import { kubeconfigOf } from "../kubeconfig.fixture.ts";
import { machineObject, machinePoolObject, poolObject } from "../plan/planners/pool-objects.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";
import { PageBed } from "./page.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const said = (type: string, reason: string, message: string): Condition => ({
  type,
  status: "False",
  reason,
  message,
  severity: "Warning",
  lastTransitionTime: "2026-01-01T11:57:00Z",
});
const BUDGET = "pod shop/web-1 is not evicted: PodDisruptionBudget shop/web allows no disruption now";
const pool = (...machines: readonly KubernetesObject[]): readonly KubernetesObject[] => [
  poolObject(),
  machinePoolObject(),
  ...machines,
];
const drained = machineObject(0, "v1-old", {
  status: { conditions: [said("Drained", "DrainBlocked", BUDGET)] },
});

/** What `capstan rollout status -o json` prints once. */
async function statusOf(url: string, word: string): Promise<readonly [facts: unknown, text: string]> {
  const config = join(folder, "config");
  writeFileSync(config, kubeconfigOf(url));
  const printed = async (...more: readonly string[]): Promise<string> => {
    const shell = testShell();
    await run(["rollout", "status", word, "--no-watch", "--kubeconfig", config, ...more], shell);
    expect(shell.written.err).toBe("");
    return shell.written.out;
  };
  return [JSON.parse(await printed("-o", "json")), await printed()];
}

test.each<readonly [string, string, string, readonly KubernetesObject[]]>([
  [
    "a pool that is rolled out",
    "pool",
    "MachinePool",
    pool(...[0, 1, 2].map((id) => machineObject(id, "v1-new"))),
  ],
  [
    "a pool in the middle",
    "pool",
    "AzureMachinePool",
    pool(machineObject(1, "v1-old"), machineObject(2, "v1-new")),
  ],
  ["a pool whose drain is held up", "pool", "MachinePool", pool(drained, machineObject(1, "v1-new"))],
  [
    "a pool that has failed",
    "pool",
    "MachinePool",
    [
      poolObject({ status: { failureReason: "QuotaExceeded", failureMessage: "no cores" } }),
      machinePoolObject(),
    ],
  ],
  [
    "a MachineDeployment",
    "md/workers",
    "MachineDeployment",
    [machineDeployment({ metadata: { name: "workers" }, spec: { replicas: 3 } })],
  ],
  [
    "a control plane",
    "kcp/plane",
    "KubeadmControlPlane",
    [kubeadmControlPlane({ metadata: { name: "plane" }, spec: { replicas: 3 } })],
  ],
])("the page shows the facts of rollout status of %s", async (_, word, kind, objects) => {
  const bed = new PageBed();
  await bed.store(...objects);
  const server = await serveHttp(bed.handle);
  try {
    const [facts, text] = await statusOf(`http://127.0.0.1:${server.port}`, word);
    const name = word.replace(/^.*\//, "");
    const { value: first } = await bed
      .messages(`view=rollout&kind=${kind}&namespace=default&name=${name}`)
      .next();
    expect(first).toMatchObject({ type: "snapshot", head: { numbers: facts } });
    const head = first && "head" in first ? first.head : {};
    expect(text.split("\n")[0]).toBe(head?.["sentence"]);
  } finally {
    await server.close();
    bed.close();
  }
});

test("a drain that a budget holds up is named with the budget and the command", async () => {
  const bed = new PageBed();
  await bed.store(...pool(drained, machineObject(1, "v1-new"), machineObject(2, "v1-new")));
  const { value: first } = await bed
    .messages("view=rollout&kind=MachinePool&namespace=default&name=pool")
    .next();
  expect(first).toMatchObject({
    head: {
      tone: "bad",
      obstacles: [{ who: "pool-0", reason: "DrainBlocked", blocking: "PodDisruptionBudget shop/web" }],
    },
  });
  bed.close();
});
