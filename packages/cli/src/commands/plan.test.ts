import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Condition, DELETE_MACHINE_ANNOTATION, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { expectGolden } from "../plan/print/golden.fixture.ts";
import {
  machineObject,
  machinePoolObject,
  NOW,
  poolObject,
  poolObjects,
} from "../plan/planners/pool-objects.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-plan-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes texts to files and plans them. */
async function plan(texts: readonly string[], ...args: string[]) {
  const files = texts.flatMap((text, index) => {
    const path = join(folder, `${index}.yaml`);
    writeFileSync(path, text);
    return ["-f", path];
  });
  const shell = testShell({ workingFolder: folder });
  const code = await run(["plan", ...files, ...args], shell);
  return { code, ...shell.written };
}

const listOf = (...items: readonly object[]): string => stringify({ apiVersion: "v1", kind: "List", items });
const dump = listOf(...poolObjects());

interface Answer {
  readonly actions: readonly { readonly action: string; readonly targets: readonly string[] }[];
  readonly blocked: readonly { readonly reason: string }[];
}
const answerTo = async (text: string): Promise<Answer> =>
  JSON.parse((await plan([text], "-o", "json")).out) as Answer;
const actionsOf = async (...objects: readonly object[]): Promise<string[]> =>
  (await answerTo(listOf(...objects))).actions.map(({ action, targets }) => `${action} ${targets.join(" ")}`);

describe("capstan plan of a dump", () => {
  test.each(["text", "json", "markdown"])("prints %s", async (form) => {
    const { code, out } = await plan([dump], "-o", form);
    expect(code).toBe(2);
    expectGolden(`dump-${form}`, out);
  });

  test("has the example of its reference page", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/plan.md"), "utf8");
    const { out } = await plan([dump], "-o", "json");
    expect(page).toContain(`\`\`\`json\n${out}\`\`\``);
  });

  test("is the same from one list, from documents, from JSON and from several files", async () => {
    const { out } = await plan([dump]);
    const documents = poolObjects().map((object) => stringify(object));
    const json = JSON.stringify({ kind: "List", items: poolObjects() });
    const lines = poolObjects().map((object) => JSON.stringify(object));
    for (const texts of [[documents.join("---\n")], [json], documents, [lines.join("\n---\n")]]) {
      expect((await plan(texts)).out).toBe(out);
    }
  });

  test.each<[string, number, string[], readonly object[]]>([
    [
      "settled",
      0,
      [],
      [poolObject(), machinePoolObject({ spec: { replicas: 1 } }), machineObject(2, "v1-new")],
    ],
    [
      "that grows",
      0,
      ["SetCapacity pool"],
      [poolObject(), machinePoolObject({ spec: { replicas: 2 } }), machineObject(2, "v1-new")],
    ],
    [
      "without a scale set",
      0,
      ["PutModel pool"],
      [
        poolObject({ metadata: { creationTimestamp: NOW }, status: { modelHash: undefined } }),
        machinePoolObject(),
      ],
    ],
    [
      "that shrinks",
      2,
      ["DeleteMachine pool-1"],
      [
        poolObject(),
        machinePoolObject({ spec: { replicas: 1 } }),
        machineObject(1, "v1-new"),
        machineObject(2, "v1-new"),
      ],
    ],
    [
      "that is updated in place",
      2,
      ["UpdateMachineInPlace pool-1"],
      [
        poolObject({
          spec: { strategy: { rollingUpdate: { maxUnavailable: 1, instanceUpdate: "InPlace" } } },
        }),
        machinePoolObject({ spec: { replicas: 2 } }),
        machineObject(1, "v1-old"),
        machineObject(2, "v1-new"),
      ],
    ],
    [
      "in the middle of an update",
      2,
      ["Wait pool-0", "Wait pool-1"],
      [
        poolObject({
          spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
          status: { pickedForDeletion: ["pool-0"], pickedForUpdate: ["pool-1"] },
        }),
        machinePoolObject(),
        machineObject(0, "v1-old", { metadata: { deletionTimestamp: NOW } }),
        machineObject(1, "v1-old", {
          metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: `v1-${"a".repeat(64)}` } },
        }),
        machineObject(2, "v1-new"),
      ],
    ],
  ])("of a pool %s ends with %d", async (_, code, actions, objects) => {
    expect(await actionsOf(...objects)).toEqual(actions);
    expect((await plan([listOf(...objects)])).code).toBe(code);
  });

  test("reports what blocks a pool", async () => {
    const [, ...rest] = poolObjects();
    const paused = poolObject({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    expect(await answerTo(listOf(paused, ...rest))).toMatchObject({
      actions: [],
      blocked: [{ reason: "Paused" }],
    });
    const inCluster = listOf(...poolObjects(), cluster({ spec: { paused: true } }));
    expect(await answerTo(inCluster)).toMatchObject({ blocked: [{ reason: "Paused" }] });
  });

  test("takes its time from --now, else from the newest timestamp in it", async () => {
    const failed = (since: string) =>
      machineObject(0, "v1-new", {
        status: {
          ready: false,
          provisioningState: "Failed",
          conditions: [{ type: "Ready", status: "False", reason: "Failed", lastTransitionTime: since }],
        },
      });
    const objects = (since: string) =>
      listOf(
        poolObject(),
        machinePoolObject(),
        failed(since),
        machineObject(1, "v1-new"),
        machineObject(2, "v1-new"),
      );
    // The newest timestamp is that of the healthy machine, 10:10; the controllers wait 10 minutes for a machine.
    const deletes = async (since: string, ...args: readonly string[]) =>
      (await plan([objects(since)], ...args)).out.includes("  DeleteMachine pool-0");
    expect(await deletes("2026-01-01T10:05:00Z")).toBe(false);
    expect(await deletes("2026-01-01T09:55:00Z")).toBe(true);
    expect(await deletes("2026-01-01T10:05:00Z", "--now", NOW)).toBe(true);
  });

  test("deletes no old machine before the new one has been Ready for minReadySeconds", async () => {
    const lastTransitionTime = "2026-01-01T11:59:50Z";
    const conditions = [{ type: "Ready", status: "True" as const, reason: "Ready", lastTransitionTime }];
    const objects = (minReadySeconds: number) => [
      poolObject({ spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } }),
      machinePoolObject({ spec: { replicas: 2, template: { spec: { minReadySeconds } } } }),
      machineObject(0, "v1-old"),
      machineObject(1, "v1-old"),
      machineObject(2, "v1-new", { status: { conditions } }),
    ];
    expect(await actionsOf(...objects(0))).toEqual(["DeleteMachine pool-0"]);
    expect(await actionsOf(...objects(600))).not.toContain("DeleteMachine pool-0");
  });

  test("does not consider a cluster unhealthy whose machines are only being drained", async () => {
    const unready = (reason: string) => ({
      ready: false,
      conditions: ["Ready", "Drained"].slice(0, reason === "Draining" ? 2 : 1).map((type) => ({
        type,
        status: "False" as const,
        reason,
        lastTransitionTime: "2026-01-01T11:00:00Z",
      })),
    });
    const draining = [1, 2].map((id) =>
      machineObject(id, "v1-new", {
        metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" },
        status: unready("Draining"),
      }),
    );
    const stuck = machineObject(0, "v1-old", { status: unready("NodeConditionsFailed") });
    const others = [3, 4].map((id) => machineObject(id, "v1-new"));
    const text = listOf(poolObject(), machinePoolObject(), stuck, ...draining, ...others);
    const { out } = await plan([text], "-o", "json", "--now", NOW);
    const { actions, blocked } = JSON.parse(out) as Answer;
    expect(blocked.map(({ reason }) => reason)).not.toContain("WorkloadUnhealthy");
    expect(actions).toContainEqual(expect.objectContaining({ action: "DeleteMachine", targets: ["pool-0"] }));
  });

  test("matches machines to a pool by owner or label, never by a part of its name", async () => {
    const other = machineObject(7, "v1-old", {
      metadata: {
        labels: { "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool": "pool-1" },
      },
    });
    const ownerReferences = [
      {
        apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
        kind: "AzureMachinePool",
        name: "pool-1",
        uid: "u",
      },
    ];
    const owned = machineObject(8, "v1-old", { metadata: { ownerReferences } });
    const { out } = await plan([dump]);
    expect((await plan([dump, stringify(other), stringify(owned)])).out).toBe(out);
  });

  test("treats null as a missing field, as a server does", async () => {
    const text = (replicas: unknown) =>
      listOf(
        poolObject(),
        machinePoolObject({ spec: { replicas: replicas as number } }),
        machineObject(2, "v1-new"),
      );
    expect(await plan([text(null)])).toEqual(await plan([text(1)]));
  });

  test("uses the MachinePool that owns a pool, and reports which other one is ignored", async () => {
    const ownerReferences = [
      {
        apiVersion: "cluster.x-k8s.io/v1beta1",
        kind: "MachinePool",
        name: "pool",
        uid: "uid-of-machine-pool",
      },
    ];
    const rival = machinePoolObject({ metadata: { name: "a-rival", uid: "r" }, spec: { replicas: 9 } });
    const objects = (...metadata: readonly object[]) =>
      listOf(
        rival,
        poolObject(...metadata.map((one) => ({ metadata: one }))),
        machinePoolObject({ spec: { replicas: 1 } }),
        machineObject(2, "v1-new"),
      );
    const owned = await plan([objects({ ownerReferences })]);
    expect(owned.out).toContain("nothing to do");
    expect(owned.err).toContain(
      "note: MachinePool default/a-rival refers to AzureMachinePool default/pool, too, and is ignored: it belongs to pool\n",
    );
    const free = await plan([objects()]);
    expect(free.out).toContain("capacity 1 to 9");
    expect(free.err).toContain(
      "note: MachinePool default/pool refers to AzureMachinePool default/pool, too, and is ignored: a-rival comes first\n",
    );
  });

  test("plans the other pools when one has no MachinePool, and reports that the controllers ignore that one", async () => {
    const alone = poolObject({ metadata: { name: "alone", uid: "alone" } });
    const ownerReferences = [
      { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachinePool", name: "gone", uid: "gone" },
    ];
    const left = poolObject({ metadata: { name: "left", uid: "left", ownerReferences } });
    const whole = await answerTo(dump);
    const { code, out, err } = await plan([listOf(alone, left, ...poolObjects())], "-o", "json");
    expect(code).toBe(2);
    expect(err).toContain(
      "note: no MachinePool refers to AzureMachinePool default/alone, so the controllers ignore it",
    );
    expect(JSON.parse(out)).toEqual({
      actions: whole.actions,
      blocked: [
        {
          controller: "azuremachinepool",
          object: { kind: "AzureMachinePool", namespace: "default", name: "alone" },
          reason: "NoMachinePool",
          targets: ["alone"],
          why: "no MachinePool refers to AzureMachinePool default/alone, so the controllers ignore it",
        },
        expect.objectContaining({
          reason: "NoMachinePool",
          why: "AzureMachinePool default/left belongs to MachinePool gone, which does not exist, so the controllers ignore it",
        }),
      ],
    });
    for (const form of ["text", "markdown"]) {
      const { out: text } = await plan([listOf(alone, ...poolObjects())], "-o", form);
      expect(text).toMatch(/AzureMachinePool `?default\/alone`?\n[^]*NoMachinePool/);
    }
  });

  test("reports what Azure has refused for good, unless another attempt is running", async () => {
    const refused: Condition = {
      type: "ScaleSetRunning",
      status: "False",
      severity: "Error",
      reason: "ScaleSetProvisionFailed",
      message: "no such image",
      lastTransitionTime: NOW,
    };
    const [, ...rest] = poolObjects();
    const pool = poolObject({ status: { conditions: [refused] } });
    expect((await answerTo(listOf(pool, ...rest))).blocked).toMatchObject([
      { reason: "Refused", targets: ["pool"], why: "ScaleSetProvisionFailed: no such image" },
    ]);
    const warned = poolObject({ status: { conditions: [{ ...refused, severity: "Warning" }] } });
    expect((await answerTo(listOf(warned, ...rest))).blocked).toEqual([]);
    const operation = { verb: "PUT" as const, resourceID: "/x", hash: "h", startedAt: NOW };
    const trying = poolObject({ status: { conditions: [refused], operation } });
    expect((await answerTo(listOf(trying, ...rest))).blocked).toEqual([]);
  });

  test("reports which drain is blocked, and by what", async () => {
    const message =
      "Draining Node pool000000; pod shop/web-1 is not evicted: PodDisruptionBudget shop/web allows no disruption";
    const draining = (reason: string) =>
      listOf(
        poolObject({ status: { pickedForDeletion: ["pool-0"] } }),
        machinePoolObject({ spec: { replicas: 1 } }),
        machineObject(0, "v1-old", {
          metadata: { deletionTimestamp: NOW },
          status: {
            conditions: [{ type: "Drained", status: "False", reason, message, lastTransitionTime: NOW }],
          },
        }),
        machineObject(2, "v1-new"),
      );
    expect((await answerTo(draining("Draining"))).blocked).toEqual([]);
    expect((await answerTo(draining("DrainBlocked"))).blocked).toEqual([
      {
        controller: "azuremachinepoolmachine",
        object: { kind: "AzureMachinePoolMachine", namespace: "default", name: "pool-0" },
        reason: "DrainBlocked",
        targets: ["pool-0"],
        why: message,
      },
    ]);
    const { out: text } = await plan([draining("DrainBlocked")]);
    expect(text).toContain(`  blocked: DrainBlocked pool-0\n      ${message}\n`);
    const { out: markdown } = await plan([draining("DrainBlocked")], "-o", "markdown");
    expect(markdown).toContain(`| DrainBlocked | pool-0 | ${message} |`);
  });

  test("does not call blocked what ends by itself when a machine has booted", async () => {
    const booting = machineObject(3, "v1-new", {
      metadata: { creationTimestamp: "2026-01-01T10:09:00Z" },
      status: { ready: false, conditions: [], nodeRef: undefined },
    });
    const machines = [machineObject(0, "v1-old"), machineObject(1, "v1-new"), machineObject(2, "v1-new")];
    const surging = listOf(poolObject(), machinePoolObject(), ...machines, booting);
    expect((await answerTo(surging)).blocked).toMatchObject([{ reason: "BudgetUsedUp" }]);
    const { out } = await plan([surging]);
    expect(out).toContain("  not yet: BudgetUsedUp pool-3\n");
    expect(out).not.toContain("blocked");
    const { out: markdown } = await plan([surging], "-o", "markdown");
    expect(markdown).toContain("| not yet, for | of | why |");
    expect(markdown).toContain("The next step is not disruptive; a later one is.");
    expect(markdown).toContain("The actions are those of the next step");
  });

  test("ignores timestamps in the future", async () => {
    const booting = machineObject(3, "v1-new", {
      metadata: { creationTimestamp: "2026-01-01T10:09:00Z" },
      status: { ready: false, conditions: [], nodeRef: undefined },
    });
    const machines = [machineObject(0, "v1-old"), machineObject(1, "v1-new"), machineObject(2, "v1-new")];
    const expires = { "capstan.dev/bootstrap-expires": "2026-01-01T11:30:00Z" };
    const config = {
      apiVersion: "bootstrap.cluster.x-k8s.io/v1beta1",
      kind: "KubeadmConfig",
      metadata: { name: "pool", annotations: expires },
    };
    const pool = poolObject({ metadata: { annotations: expires } });
    const { out } = await plan([listOf(pool, machinePoolObject(), config, ...machines, booting)]);
    expect(out).not.toContain("NewMachinesNotAvailable");
  });

  test("names the machine that another one replaces", async () => {
    const annotations = { [DELETE_MACHINE_ANNOTATION]: "yes" };
    const marked = machineObject(1, "v1-new", { metadata: { annotations } });
    const { out } = await plan([
      listOf(poolObject(), machinePoolObject({ spec: { replicas: 2 } }), marked, machineObject(2, "v1-new")),
    ]);
    expect(out).toContain(
      "adding 1 machine: 2 desired plus a surge of at most 1, 2 exist; pool-1 can be deleted then, which cluster.x-k8s.io/delete-machine asks for",
    );
  });

  test("is the same from a folder, whose manifests are read in order", async () => {
    const inside = join(folder, "inside");
    mkdirSync(join(inside, "deeper.yaml"), { recursive: true });
    const [first, ...rest] = poolObjects();
    writeFileSync(join(inside, "b.yml"), listOf(...rest));
    writeFileSync(join(inside, "a.json"), JSON.stringify(first));
    writeFileSync(join(inside, "README.md"), "# no manifest");
    expect((await plan([], "-f", "inside")).out).toBe((await plan([dump])).out);
    const { code, err } = await plan([], "-f", "inside/deeper.yaml");
    expect([code, err]).toEqual([
      1,
      "capstan: -f inside/deeper.yaml is a folder without files that end in .yaml, .yml or .json\n",
    ]);
  });

  test("comes from standard input, too", () => {
    const bin = join(import.meta.dirname, "../../bin/capstan.mjs");
    const { status, stdout } = spawnSync(process.execPath, [bin, "plan", "-f", "-", "-o", "json"], {
      input: dump,
      encoding: "utf8",
    });
    expect([status, JSON.parse(stdout)]).toMatchObject([2, { actions: [{ action: "DeleteMachine" }, {}] }]);
  });

  test("compares with the model of the spec when it knows the cluster, and notes when it does not", async () => {
    const [pool, machines] = [poolObject(), machinePoolObject({ spec: { replicas: 1 } })];
    const objects = [pool, machines, machineObject(2, "v1-new")];
    const without = await plan([listOf(...objects)]);
    expect([without.code, without.err]).toEqual([
      0,
      "note: AzureMachinePool default/pool: its Cluster or AzureCluster is not given, so a change of its spec cannot be detected; machines are compared with status.modelHash\n",
    ]);
    const within = await plan([listOf(...objects, cluster(), azureCluster())], "-o", "json");
    expect(within.err).toBe("");
    const [action] = (JSON.parse(within.out) as { actions: { action: string; detail: { hash: string } }[] })
      .actions;
    expect(action).toMatchObject({
      action: "PutModel",
    });
    expect(action?.detail.hash).toMatch(/^v1-[0-9a-f]+$/);
    const settled = [
      poolObject({ status: { modelHash: action?.detail.hash } }),
      machines,
      machineObject(2, action?.detail.hash ?? ""),
    ];
    expect((await plan([listOf(...settled, cluster(), azureCluster())])).out).toContain("nothing to do");
  });

  test("uses latestModelApplied for a pool of another provider, which stamps no models", async () => {
    const stamp = { modelHash: undefined };
    const objects = [
      poolObject({ status: stamp }),
      machinePoolObject({ spec: { replicas: 2 } }),
      machineObject(0, "", { status: { ...stamp, latestModelApplied: false } }),
      machineObject(1, "", { status: { ...stamp, latestModelApplied: true } }),
    ];
    expect(await actionsOf(...objects)).toEqual(["SetCapacity pool"]);
  });
});

describe("capstan plan of invalid input", () => {
  const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

  test("skips kinds that it does not know, and notes that", async () => {
    const { code, err } = await plan([dump, stringify(other)]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("note: 1 ConfigMap ignored: it does not affect"),
    ]);
  });

  test("does not mention objects that belong to a pool and do not affect its plan", async () => {
    const apiVersion = "bootstrap.cluster.x-k8s.io/v1beta1";
    const config = { apiVersion, kind: "KubeadmConfig", metadata: { name: "pool" } };
    expect((await plan([dump, stringify(config)])).err).not.toContain("ignored");
  });

  test.each<[string, string, string]>([
    ["neither YAML nor JSON", "a: [", "is neither YAML nor JSON"],
    ["cut off", '{"kind": "List", "items": [{"kind": "Mach', "is JSON whose end is missing"],
    ["no text", "\u007FELF\u0002\u0000\u0000", "is not text in UTF-8; expected YAML or JSON"],
    ["an alias without an anchor", "a: *b", "cannot be read: Unresolved alias"],
    ["a text", "hello", 'holds "hello" where a Kubernetes object was expected'],
    ["a number", "7", "holds 7 where a Kubernetes object was expected"],
    ["no object", "a: b", "holds an object without apiVersion or kind"],
    ["no name", stringify({ ...other, metadata: {} }), "holds a ConfigMap without metadata.name"],
    [
      "nothing",
      "",
      "there is nothing to plan: no object given is one of AzureCluster, AzureMachinePool, AzureManagedControlPlane, KubeadmControlPlane, MachineDeployment, MachinePool, MachineSet",
    ],
    [
      "a list without items",
      "apiVersion: v1\nkind: List\n",
      "there is nothing to plan: no object given is one of AzureCluster, AzureMachinePool, AzureManagedControlPlane, KubeadmControlPlane, MachineDeployment, MachinePool, MachineSet",
    ],
    [
      "a list of null",
      "kind: PodList\nmetadata: {}\nitems: null\n",
      "there is nothing to plan: no object given is one of AzureCluster, AzureMachinePool, AzureManagedControlPlane, KubeadmControlPlane, MachineDeployment, MachinePool, MachineSet",
    ],
    [
      "no pool",
      stringify(other),
      "there is nothing to plan: no object given is one of AzureCluster, AzureMachinePool, AzureManagedControlPlane, KubeadmControlPlane, MachineDeployment, MachinePool, MachineSet",
    ],
    [
      "machines without their pool",
      listOf(machinePoolObject(), machineObject(0, "v1-new")),
      "there is no AzureMachinePool in the dump",
    ],
    [
      "a pool without its MachinePool",
      listOf(poolObject(), machineObject(0, "v1-new")),
      "no MachinePool refers to AzureMachinePool default/pool; add it, for example with kubectl get machinepools,",
    ],
    [
      "a pool of another version",
      stringify({ ...poolObject(), apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2" }),
      "only infrastructure.cluster.x-k8s.io/v1beta1 is understood",
    ],
    [
      "a pool without a template",
      stringify({ ...poolObject(), spec: {} }),
      "AzureMachinePool default/pool has no spec.template.osDisk, which is required",
    ],
    ["a pool twice", listOf(poolObject(), poolObject()), "AzureMachinePool default/pool is given twice"],
    [
      "half a dump",
      listOf(poolObject(), machinePoolObject({ metadata: { uid: undefined } })),
      "partly a dump (AzureMachinePool default/pool has a status or a uid) and partly manifests (MachinePool default/pool has none)",
    ],
    [
      "a dump without a time",
      listOf(poolObject(), machinePoolObject()),
      "there is no timestamp in the dump, so its time is unknown; give it with --now",
    ],
  ])("%s", async (_, text, message) => {
    const { code, out, err } = await plan([text]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
  });

  const pooled = (strategy: unknown) => poolObject({ spec: { strategy: strategy as object } });
  const rolled = (rollingUpdate: object) => pooled({ rollingUpdate });
  const sized = (replicas: unknown) => machinePoolObject({ spec: { replicas: replicas as number } });

  test.each<[string, object, string]>([
    [
      "replicas as a word",
      sized("three"),
      'spec.replicas: Invalid value: "three": does not fit the schema of MachinePool: must be a whole number',
    ],
    [
      "a negative budget",
      rolled({ maxUnavailable: -1 }),
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be 0 or more",
    ],
    [
      "more unavailable than machines",
      rolled({ maxUnavailable: "150%" }),
      'maxUnavailable: Invalid value: "150%": must not be more than 100%',
    ],
    [
      "a lower-case enum value",
      rolled({ deletePolicy: "oldest" }),
      'deletePolicy: Invalid value: "oldest": does not fit the schema of AzureMachinePool: must be one of Random, Newest, Oldest',
    ],
    [
      "a word where an object is expected",
      pooled("RollingUpdate"),
      'spec.strategy: Invalid value: "RollingUpdate": does not fit the schema of AzureMachinePool: must be an object',
    ],
    [
      "an invalid status",
      machineObject(2, "v1-new", { status: { conditions: "Ready" as never } }),
      "status.conditions: Invalid value",
    ],
  ])("%s, which a server would have refused", async (_, object, message) => {
    const { kind } = object as { kind: string };
    const others = [poolObject(), machinePoolObject(), machineObject(2, "v1-new")].filter(
      (one) => one.kind !== kind,
    );
    const { code, out, err } = await plan([listOf(object, ...others)]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(` is invalid: `);
    expect(err).toContain(message);
  });

  test.each<[string, object]>([
    ["a spec.providerIDList of 2", poolObject({ spec: { providerIDList: ["azure:///a", "azure:///b"] } })],
    ["status.replicas 3", poolObject({ status: { replicas: 3 } })],
  ])("a pool with %s and without its machines", async (said, pool) => {
    const { code, out, err } = await plan([listOf(pool, machinePoolObject())], "--now", NOW);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(
      `AzureMachinePool default/pool has ${said}, but the dump has no AzureMachinePoolMachine of it; add them with kubectl get machinepools,azuremachinepools,azuremachinepoolmachines,clusters,azureclusters -o yaml`,
    );
    const empty = poolObject({ spec: { providerIDList: [] }, status: { replicas: 0 } });
    expect((await plan([listOf(empty, machinePoolObject())], "--now", NOW)).code).toBe(0);
  });

  test.each([-1, 1001, 1_000_000_000])("%d machines, more than a scale set holds", async (replicas) => {
    const { code, out, err } = await plan([
      listOf(poolObject(), sized(replicas), machineObject(2, "v1-new")),
    ]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(
      `MachinePool default/pool cannot be planned: spec.replicas: Invalid value: ${replicas}: must be from 0 to 1000, the most that a scale set holds`,
    );
  });

  test.each([
    [
      "--now yesterday",
      ["--now", "yesterday"],
      '--now "yesterday" is not a time; write it as 2026-01-31T12:00:00Z',
    ],
    ["--now of a day", ["--now", "2026-01-31"], "is not a time"],
    ["--now without a date", ["--now", "2026-13-01T00:00:00Z"], "is not a time"],
    ["-o yaml", ["-o", "yaml"], "Allowed choices are text, json, markdown."],
    ["a file that is not there", ["-f", "nowhere.yaml"], "-f nowhere.yaml cannot be read"],
  ])("%s ends with 1, because 2 means that a change disrupts", async (_, args, message) => {
    const { code, err } = await plan([dump], ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test("needs a file", async () => {
    const { code, err } = await plan([]);
    expect([code, err]).toEqual([1, expect.stringContaining("required option '-f, --filename <file>'")]);
  });

  test("refuses --now with manifests", async () => {
    const manifest = stringify(poolObject({ metadata: { uid: undefined }, status: undefined }));
    expect((await plan([manifest], "--now", NOW)).err).toContain("--now is the time of a dump");
  });
});
