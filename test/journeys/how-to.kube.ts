import { createRealEnv } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runsAll } from "../sample.ts";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";
import { createReader, READER_LIMIT_MS } from "./reader.ts";
import { readPage } from "./shown-commands.ts";
import { stepsOf } from "./shown-outputs.ts";

const SPEED = 120;
// A deletion takes half a second then.
const SLOW = 40;

/** In a soak only: the gate has a smoke of the journey. */
const longTest = test.runIf(runsAll);

const { dataDir, shell, page, close } = createReader(findKubectls()[0]?.program ?? "");
const { clock } = createRealEnv();
let running: Running;

beforeAll(() => up("--speed", String(SPEED)));
afterAll(() => {
  killAll();
  close();
});

async function up(...args: string[]): Promise<void> {
  running = launch(["up", "--port", "0", "--data-dir", dataDir, ...args]);
  await running.until(READY);
}

/** Changes how fast time goes: slow enough to see something, or fast enough not to wait for it. */
const speed = (factor: number): Promise<string> => shell(`npx capstan sim clock speed ${factor}`);

/** Ids of instances in Azure, as the machines have them. */
async function instances(): Promise<readonly number[]> {
  const ids = await shell("kubectl get ampm -o jsonpath='{.items[*].spec.instanceID}'");
  return ids
    .split(" ")
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Asks until the answer is right, as somebody with kubectl would. */
async function eventually(ask: () => Promise<string>, pattern: RegExp): Promise<string> {
  const deadlineMs = clock.monotonic() + READER_LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (pattern.test(answer)) return answer;
    if (clock.monotonic() > deadlineMs) throw new Error(`it never was ${pattern}: ${answer}`);
    await clock.sleep(50);
  }
}

interface Request {
  readonly sequence: number;
  readonly method: string;
  readonly operation: string;
  readonly status: number;
}

/** What was asked of Azure about scale sets, without looks. */
async function writes(): Promise<readonly Request[]> {
  const { out } = await capstan("sim", "journal", "--data-dir", dataDir, "--limit", "10000", "-o", "json");
  return (JSON.parse(out) as Request[]).filter(
    ({ method, operation }) => method !== "GET" && operation.includes("virtualMachineScaleSets"),
  );
}

const PLAN_PAGE = "docs/how-to/plan-a-change.md";
const ROLLED_OUT = /^AzureMachinePool default\/workers is rolled out: 3 of 3 up to date and available$/m;

describe("README.md", () => {
  longTest("shows a rollout while it happens, at the speed that it names", async () => {
    const [, readmeSpeed = ""] = /npm start -- --speed (\d+)/.exec(readPage("README.md")) ?? [];
    await speed(Number(readmeSpeed));
    expect(await page("README.md")).toMatch(
      /patched\n(Waiting for AzureMachinePool default\/workers: .*\n)+AzureMachinePool default\/workers is rolled out/,
    );
    await speed(SPEED);
    await shell("kubectl delete cluster quay");
  });
});

describe("a pool of machines, by the pages of docs/how-to", () => {
  test("upgrade-a-pool.md makes three nodes", async () => {
    expect(stepsOf("docs/how-to/upgrade-a-pool.md")[0]?.commands).toBe("npx capstan up --speed 60\n");
    const made = await page("docs/how-to/upgrade-a-pool.md", { from: 1, to: 2 });
    expect(made).toMatch(ROLLED_OUT);
    expect(made).toMatch(/(^workers00000\d +Ready +<none> +\S+ +v1\.33\.5$\n?){3}/m);
    expect(made).toMatch(/(^workers-\d +v1\.33\.5 +true +Succeeded .*\n){3}/m);
    expect(made).toMatch(/MachinePool\/workers +3 +3 +3 +3 +Available: True/);
    expect(await shell("kubectl get mp workers -o jsonpath='{.status.phase}'")).toBe("Running");
    expect(await instances()).toEqual([0, 1, 2]);
  });

  test("plan-a-change.md plans another size, also from a dump", async () => {
    const out = await page(PLAN_PAGE, { to: 1, mayFail: true });
    expect(out).toContain("Summary: ");
    expect(await page(PLAN_PAGE, { from: 2, to: -1, mayFail: true })).toContain("ask for a review");
  });

  test("upgrade-a-pool.md replaces its nodes by three of another version", async () => {
    const out = await page("docs/how-to/upgrade-a-pool.md", { from: 2 });
    expect(out).toMatch(ROLLED_OUT);
    expect(out).toMatch(/workers-0: 1 machine with model .*; 4 available, at least 3 must stay available/);
    expect(await instances()).toEqual([3, 4, 5]);
    const nodes = await shell("kubectl --kubeconfig quay.kubeconfig get nodes");
    expect(nodes).toMatch(/(^workers\S+ +Ready .* v1\.34\.1\n){3}/m);
  });

  test("scale-a-pool.md grows the pool, and shrinks it by the machine that was marked first", async () => {
    const out = await page("docs/how-to/scale-a-pool.md");
    expect(out).toContain("is rolled out: 5 of 5 up to date and available");
    expect(out).toMatch(ROLLED_OUT);
    const ids = await instances();
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(Number(/workers-(\d+) annotated/.exec(out)?.[1]));
  });

  test("replace-a-machine.md takes the machine away that was deleted or marked, and makes another", async () => {
    const before = await instances();
    const out = await page("docs/how-to/replace-a-machine.md");
    expect(out).toMatch(/Drained +azuremachinepoolmachine\/workers-/);
    const after = await instances();
    expect(after).toHaveLength(3);
    expect(after.filter((id) => before.includes(id))).toHaveLength(1);
  });

  test("update-in-place.md updates the very instances, which keep what users gave their nodes", async () => {
    const before = await instances();
    const out = await page("docs/how-to/update-in-place.md");
    expect(await instances()).toEqual(before);
    const nodes = [...out.matchAll(/^(workers\S+) +(v\S+) +(\S+) +gold$/gm)];
    expect(nodes.map(([, , version]) => version)).toEqual([...ofEach("v1.34.1"), ...ofEach("v1.33.5")]);
    expect(new Set(nodes.map(([, name]) => name)).size).toBe(3);
    expect(new Set(nodes.map(([, , , boot]) => boot)).size).toBe(6);
    expect(out.match(/virtualMachineScaleSets\/manualupgrade +202/g)).toHaveLength(3);
  });

  longTest(
    "drain.md shows a budget that holds a machine, lifts it, and waits no longer than allowed",
    async () => {
      const out = await page("docs/how-to/drain.md", { to: -1 });
      const held =
        /pod default\/web-\S+ is not evicted: PodDisruptionBudget default\/web allows no disruption now/;
      for (const line of [/^workers-\d+, DrainBlocked: .*/m, /Warning +DrainBlocked +azuremachine.*/]) {
        expect(line.exec(out)?.[0]).toMatch(held);
      }
      expect(out).toMatch(/!! DELETED !! AzureMachinePoolMachine\/workers-\d+ +Ready: False +DrainBlocked/);
      expect(out).toMatch(ROLLED_OUT);
      await speed(SPEED);
      const limited = await page("docs/how-to/drain.md", { from: -1 });
      expect(limited).toMatch(
        /DrainTimedOut .* was not drained within 600 s and is deleted with pods? default\/web-/,
      );
      expect(limited).toMatch(ROLLED_OUT);
    },
  );
});

describe("clusters, by the pages of docs", () => {
  test("tutorial.md makes the network of a cluster and leads into the cluster", async () => {
    const out = await page("docs/tutorial.md", { from: 2, to: 6 });
    expect(out).toMatch(/demo-vnet +virtualNetworks +Succeeded/);
    await shell("kubectl delete cluster demo");
  });

  test("adopt-an-aks-cluster.md adopts one by reads alone", async () => {
    const out = await page("docs/how-to/adopt-an-aks-cluster.md", { from: 1 });
    expect(out).toContain("machinepool.cluster.x-k8s.io/berth-workers scaled");
    await shell("kubectl delete cluster berth");
  });

  longTest("use-any-aks-feature.md sets a field by a patch, and plans it before", async () => {
    const out = await page("docs/how-to/use-any-aks-feature.md");
    expect(out).toContain("azuremanagedcontrolplane.infrastructure.cluster.x-k8s.io/harbor patched");
    await shell("kubectl delete cluster harbor");
  });

  longTest("bring-your-own-managedcluster.md leaves the ManagedCluster to its user", async () => {
    await page("docs/how-to/bring-your-own-managedcluster.md", { from: 1 });
  });

  longTest(
    "upgrade-a-cluster.md upgrades control plane and workers, and plan-a-change.md plans it",
    async () => {
      await page("docs/how-to/upgrade-a-cluster.md", { from: 0, to: 1 });
      await page(PLAN_PAGE, { from: 1, to: 2, mayFail: true });
      const out = await page("docs/how-to/upgrade-a-cluster.md", { from: 1, mayFail: true });
      expect(out).toContain("KubeadmControlPlane default/bridge is rolled out: 3 of 3 up to date and ready");
      expect(out).toContain("AzureMachinePool default/bridge-pool is rolled out: 2 of 2");
      await shell("kubectl delete cluster bridge");
    },
  );
});

const ofEach = (version: string): readonly string[] => [version, version, version];

describe("capstan up", () => {
  longTest("finishes a rollout that kill -9 cut in the middle of a PUT, and repeats no PUT", async () => {
    const before = await instances();
    const seen = Math.max(0, ...(await writes()).map(({ sequence }) => sequence));
    await speed(SLOW);
    await shell(`
      kubectl patch amp workers --type merge \\
        -p '{"spec":{"strategy":{"rollingUpdate":{"instanceUpdate":"Replace","maxSurge":1,"maxUnavailable":0}}}}'
      kubectl patch mp workers --type merge -p '{"spec":{"template":{"spec":{"version":"v1.34.1"}}}}'
    `);
    const operation =
      "kubectl get amp workers -o jsonpath='{.status.operation.verb} {.status.operation.url}'";
    await eventually(() => shell(operation), /^PUT https:/);
    await killAndRestart();
    // The second time in the middle of a deletion.
    const posts = "kubectl get amp workers -o jsonpath='{.status.instanceOperations[*].url}'";
    await eventually(() => shell(posts), /^https:/);
    await killAndRestart();
    await speed(SPEED);
    expect(await shell("npx capstan rollout status workers")).toMatch(ROLLED_OUT);
    expect((await instances()).filter((id) => before.includes(id))).toEqual([]);
    const asked = (await writes()).filter(({ sequence }) => sequence > seen);
    expect(asked.filter(({ status }) => status >= 300)).toEqual([]);
    expect(asked.map(({ method }) => method).toSorted()).toEqual([...ofEach("POST"), ...ofEach("PUT")]);
  });

  test("leaves nothing in Azure when the cluster goes", async () => {
    await shell("kubectl delete cluster quay --timeout=90s");
    const { out } = await capstan("sim", "status", "--data-dir", dataDir, "-o", "json");
    const { resources } = JSON.parse(out) as { resources: { id: string }[] };
    // The group and the network of the adopted cluster existed before it.
    expect(resources.filter(({ id }) => !id.includes("/resourceGroups/berth"))).toEqual([]);
    expect(await shell("kubectl get mp,amp,ampm,kubeadmconfigs,azureclusters")).toBe(
      "No resources found in default namespace.\n",
    );
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, err: "" });
  });

  async function killAndRestart(): Promise<void> {
    running.child.kill("SIGKILL");
    await running.ended;
    await up();
  }
});
