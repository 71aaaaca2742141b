import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ConfigMap } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { createClient } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type CapstanProcess, startCapstan } from "../crash/capstan-process.ts";
import { firstOf, repetitions } from "../sample.ts";
import { findKubectls, type Kubectl } from "./kubectls.ts";

const KUBECTL_LIMIT_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "capstan-journey-"));
const dataDir = join(folder, "data");
let capstan: CapstanProcess;

beforeAll(async () => {
  capstan = await startCapstan(dataDir);
});
afterAll(async () => {
  await capstan.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands of one kubectl as one user, in the namespace of the journey. */
class Shell {
  readonly #kubectl: Kubectl;
  readonly #flags: readonly string[];

  constructor(kubectl: Kubectl, config = join(dataDir, "kubeconfig")) {
    this.#kubectl = kubectl;
    this.#flags = [`--kubeconfig=${config}`, `--cache-dir=${join(folder, `cache-${kubectl.version}`)}`];
  }

  async run(...args: string[]): Promise<CommandResult> {
    try {
      const running = promisify(execFile)(this.#kubectl.program, [...this.#flags, ...args], {
        timeout: KUBECTL_LIMIT_MS,
      });
      running.child.stdin?.end();
      const { stdout, stderr } = await running;
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  }

  /** Runs a command that must succeed; answers with what it printed. */
  async ok(...args: string[]): Promise<string> {
    const { code, out, err } = await this.run(...args);
    expect([code, err.replace(/^Warning:.*\n/gm, "")], `kubectl ${args.join(" ")}\n${out}`).toEqual([0, ""]);
    return out;
  }

  /** Starts a command that goes on. */
  start(...args: string[]): ChildProcess {
    return spawn(this.#kubectl.program, [...this.#flags, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  }
}

function manifest(name: string, ...objects: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((object) => stringify(object)).join("---\n"));
  return path;
}

/** An entry of managedFields. */
interface ManagerEntry {
  readonly manager: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}

const pool = (namespace: string, replicas: number) => ({
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "MachinePool",
  metadata: { name: "pool", namespace },
  spec: {
    clusterName: "harbour",
    replicas,
    template: {
      spec: {
        clusterName: "harbour",
        bootstrap: { dataSecretName: "" },
        // Complete: the reference is one value to apply, and one that a conversion has completed differs from it.
        infrastructureRef: {
          apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
          kind: "AzureMachinePool",
          name: "pool",
          namespace,
        },
      },
    },
  },
});

// kubectl shows and changes v1beta2, whichever version a manifest has.
const READY_FOR_SEVEN = '{"spec":{"template":{"spec":{"minReadySeconds":7}}}}';

const kubectls = firstOf("kubectls", findKubectls(), 1);
const LOAD = repetitions("objects that a watch sees", 2_000, 10_000);

describe.each(kubectls)("kubectl $version over TLS", (kubectl) => {
  const shell = new Shell(kubectl);
  const ns = `journey-${kubectl.version.replace(".", "-")}`;
  const file = (name: string, ...objects: object[]): string => manifest(`${ns}-${name}.yaml`, ...objects);

  test("creates a namespace, a config map and a secret, and shows them", async () => {
    expect(await shell.ok("create", "namespace", ns)).toBe(`namespace/${ns} created\n`);
    await shell.ok("create", "configmap", "settings", "-n", ns, "--from-literal=deck=upper");
    await shell.ok("create", "secret", "generic", "login", "-n", ns, "--from-literal=word=sesame");
    expect(await shell.ok("get", "cm", "settings", "-n", ns, "-o", "jsonpath={.data.deck}")).toBe("upper");
    expect(await shell.ok("get", "secret", "login", "-n", ns, "-o", "jsonpath={.data.word}")).toBe(
      "c2VzYW1l",
    );
    expect(await shell.ok("get", "ns", ns)).toMatch(new RegExp(`NAME +STATUS +AGE\n${ns} +Active`));
  });

  test("finds every kind, and reads what is not an object", async () => {
    const kinds = await shell.ok("api-resources", "-o", "name");
    for (const kind of ["pods", "machinepools.cluster.x-k8s.io", "leases.coordination.k8s.io"])
      expect(kinds.split("\n")).toContain(kind);
    expect(await shell.ok("get", "--raw", "/readyz")).toBe("ok");
    expect(JSON.parse(await shell.ok("get", "--raw", `/api/v1/namespaces/${ns}`))).toMatchObject({
      kind: "Namespace",
    });
  });

  test("applies a manifest, shows what a change would do, and applies that", async () => {
    const three = file("pool", pool(ns, 3));
    expect(await shell.ok("apply", "-f", three)).toBe("machinepool.cluster.x-k8s.io/pool created\n");
    expect(await shell.ok("apply", "-f", three)).toBe("machinepool.cluster.x-k8s.io/pool unchanged\n");
    const five = file("pool", pool(ns, 5));
    const difference = await shell.run("diff", "-f", five);
    expect([difference.code, difference.out]).toEqual([1, expect.stringContaining("+  replicas: 5")]);
    expect(await shell.ok("apply", "-f", five)).toBe("machinepool.cluster.x-k8s.io/pool configured\n");
    expect(await shell.ok("apply", "-f", five, "--dry-run=server")).toContain("unchanged");
    const table = (await shell.ok("get", "mp", "-n", ns)).split("\n");
    expect(table[0]?.split(/ {2,}/).slice(0, 3)).toEqual(["NAME", "CLUSTER", "DESIRED"]);
    expect(table[1]?.split(/ {2,}/).slice(0, 3)).toEqual(["pool", "harbour", "5"]);
    expect(await shell.ok("get", "mp", "-n", ns, "-o", "wide")).toContain("harbour");
    expect(await shell.ok("get", "mp", "pool", "-n", ns, "-o", "yaml")).toContain("  replicas: 5\n");
  });

  test("applies on the server: creates, changes, meets a conflict, takes over, removes a field", async () => {
    const settings = (data: object) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "applied", namespace: ns },
      data,
    });
    const apply = (data: object, ...flags: string[]) =>
      shell.run("apply", "--server-side", "-f", file("applied", settings(data)), ...flags);
    const done = { code: 0, out: "configmap/applied serverside-applied\n", err: "" };
    expect(await apply({ deck: "upper", mast: "tall" })).toEqual(done);
    expect(await apply({ deck: "lower", mast: "tall" })).toEqual(done);
    const refused = await apply({ deck: "mine" }, "--field-manager=other");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('Apply failed with 1 conflict: conflict with "kubectl": .data.deck'),
    ]);
    expect(await apply({ deck: "mine" }, "--field-manager=other", "--force-conflicts")).toEqual(done);
    // The first manager leaves both fields: one has another owner now, the other one goes.
    expect(await apply({ anchor: "big" })).toEqual(done);
    const stored = await shell.ok("get", "cm", "applied", "-n", ns, "-o", "jsonpath={.data}");
    expect(JSON.parse(stored)).toEqual({ deck: "mine", anchor: "big" });
    const fields = await shell.ok("get", "cm", "applied", "-n", ns, "-o", "json", "--show-managed-fields");
    const { managedFields } = (JSON.parse(fields) as { metadata: { managedFields: ManagerEntry[] } })
      .metadata;
    expect(
      Object.fromEntries(managedFields.map((entry) => [entry.manager, entry.fieldsV1["f:data"]])),
    ).toEqual({
      kubectl: { "f:anchor": {} },
      other: { "f:deck": {} },
    });
  });

  test("shows what an apply on the server would do, and moves an object there", async () => {
    const seven = file("pool", pool(ns, 7));
    const difference = await shell.run("diff", "--server-side", "--force-conflicts", "-f", seven);
    expect([difference.code, difference.out]).toEqual([1, expect.stringContaining("+  replicas: 7")]);
    expect(await shell.ok("apply", "--server-side", "-f", seven)).toBe(
      "machinepool.cluster.x-k8s.io/pool serverside-applied\n",
    );
    expect((await shell.run("diff", "--server-side", "-f", seven)).code).toBe(0);
    const fields = await shell.ok("get", "mp", "pool", "-n", ns, "-o", "json", "--show-managed-fields");
    expect(fields).not.toContain("kubectl-client-side-apply");
    expect(await shell.ok("get", "mp", "pool", "-n", ns, "-o", "jsonpath={.spec.replicas}")).toBe("7");
    expect(await shell.ok("apply", "--server-side", "-f", file("pool", pool(ns, 5)))).toContain("applied");
  });

  test("explains, scales, patches in three ways, labels and annotates", async () => {
    expect(await shell.ok("explain", "machinepool.spec.replicas")).toMatch(/FIELD: +replicas +<integer>/);
    expect(await shell.ok("explain", "pod.spec.containers")).toContain("image");
    expect(await shell.ok("scale", "machinepool/pool", "-n", ns, "--replicas=2")).toContain("scaled");
    await shell.ok("patch", "mp", "pool", "-n", ns, "--type=merge", "-p", READY_FOR_SEVEN);
    const replace = '[{"op":"replace","path":"/spec/replicas","value":4}]';
    await shell.ok("patch", "mp", "pool", "-n", ns, "--type=json", "-p", replace);
    await shell.ok("patch", "cm", "settings", "-n", ns, "--type=strategic", "-p", '{"data":{"mast":"tall"}}');
    await shell.ok("label", "mp", "pool", "-n", ns, "deck=upper");
    await shell.ok("annotate", "mp", "pool", "-n", ns, "captain=ann");
    const path =
      "{.spec.replicas} {.spec.template.spec.minReadySeconds} {.metadata.labels.deck} {.metadata.annotations.captain}";
    expect(await shell.ok("get", "mp", "pool", "-n", ns, "-o", `jsonpath=${path}`)).toBe("4 7 upper ann");
    expect(await shell.ok("get", "cm", "settings", "-n", ns, "-o", "jsonpath={.data}")).toBe(
      '{"deck":"upper","mast":"tall"}',
    );
  });

  test("is told what is wrong", async () => {
    const good = pool(ns, 1);
    const typo = await shell.run(
      "apply",
      "-f",
      file("typo", { ...good, spec: { ...good.spec, replica: 3 } }),
    );
    expect([typo.code, typo.err]).toEqual([1, expect.stringContaining('unknown field "spec.replica"')]);
    const metadata = { name: "wrong", namespace: ns };
    const wrong = await shell.run("apply", "-f", file("wrong", { ...pool(ns, -1), metadata }));
    expect(wrong.err).toContain("spec.replicas: Invalid value: -1");
    expect((await shell.run("get", "mp", "nobody", "-n", ns)).err).toContain(
      'machinepools.cluster.x-k8s.io "nobody" not found',
    );
  });

  test("waits for a condition, describes, and watches", async () => {
    const watching = shell.start("get", "mp", "-n", ns, "-w", "--no-headers", "--output-watch-events");
    const lines = createInterface({ input: watching.stdout as NonNullable<ChildProcess["stdout"]> });
    const seen = lines[Symbol.asyncIterator]();
    expect((await seen.next()).value).toMatch(/^ADDED +pool +harbour /);
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    // The manager that runs beside us writes the conditions of Cluster API; this one is nobody's.
    const ready = { type: "Painted", status: "True", reason: "Dry", message: "", lastTransitionTime: now };
    const status = JSON.stringify({ status: { conditions: [ready] } });
    const waiting = shell.ok("wait", "mp/pool", "-n", ns, "--for=condition=Painted", "--timeout=30s");
    await shell.ok("patch", "mp", "pool", "-n", ns, "--subresource=status", "--type=merge", "-p", status);
    expect(await waiting).toContain("condition met");
    expect((await seen.next()).value).toMatch(/^MODIFIED +pool +harbour /);
    watching.kill();
    const description = await shell.ok("describe", "mp", "pool", "-n", ns);
    expect(description).toMatch(/Name: +pool/);
    expect(description).toMatch(/Replicas: +4\n/);
  });

  test("drains a node, unless a disruption budget is in the way", async () => {
    const node = `node-${ns}`;
    const labels = { app: "web" };
    const pods = ["web-0", "web-1"].map((name) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: ns, labels },
      spec: { nodeName: node, containers: [{ name: "main", image: "web:1" }] },
    }));
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: ns },
      spec: { minAvailable: 2, selector: { matchLabels: labels } },
    };
    const machine = { apiVersion: "v1", kind: "Node", metadata: { name: node } };
    await shell.ok("create", "-f", file("drain", machine, budget, ...pods));
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    for (const { metadata } of pods) {
      const patch = JSON.stringify({ status: running });
      await shell.ok(
        "patch",
        "pod",
        metadata.name,
        "-n",
        ns,
        "--subresource=status",
        "--type=merge",
        "-p",
        patch,
      );
    }
    const drain = ["drain", node, "--force", "--grace-period=0"];
    const blocked = await shell.run(...drain, "--timeout=3s");
    expect([blocked.code, blocked.err]).toEqual([
      1,
      expect.stringContaining("Cannot evict pod as it would violate the pod's disruption budget."),
    ]);
    expect(await shell.ok("get", "node", node)).toContain("SchedulingDisabled");
    await shell.ok("patch", "pdb", "web", "-n", ns, "--type=merge", "-p", '{"spec":{"minAvailable":0}}');
    const drained = await shell.run(...drain, "--timeout=30s");
    expect([drained.code, drained.out]).toEqual([0, expect.stringContaining("drained")]);
    expect(await shell.ok("get", "pods", "-n", ns, "-o", "name")).toBe("");
    await shell.ok("delete", "node", node);
  });

  test("says who may do what, and lets a service account do no more", async () => {
    expect(await shell.ok("auth", "can-i", "delete", "pods")).toBe("yes\n");
    await shell.ok("create", "sa", "robot", "-n", ns);
    await shell.ok("create", "role", "reader", "-n", ns, "--verb=get,list", "--resource=configmaps");
    await shell.ok(
      "create",
      "rolebinding",
      "reader",
      "-n",
      ns,
      "--role=reader",
      `--serviceaccount=${ns}:robot`,
    );
    const token = (await shell.ok("create", "token", "robot", "-n", ns)).trim();
    const robot = new Shell(kubectl, tokenConfig(`${ns}-robot`, token));
    expect(await robot.ok("get", "cm", "settings", "-n", ns, "-o", "name")).toBe("configmap/settings\n");
    expect((await robot.run("get", "secrets", "-n", ns)).err).toContain(
      `User "system:serviceaccount:${ns}:robot" cannot list resource "secrets" in API group "" in the namespace "${ns}"`,
    );
    expect((await robot.run("auth", "can-i", "get", "configmaps", "-n", ns)).out).toBe("yes\n");
    expect((await robot.run("auth", "can-i", "get", "secrets", "-n", ns)).out).toBe("no\n");
  });

  test.each([
    ["background", 0],
    ["foreground", 0],
    ["orphan", 1],
  ])("deletes with propagation %s", async (cascade, left) => {
    const owner = `owner-${cascade}`;
    await shell.ok("create", "configmap", owner, "-n", ns);
    const uid = await shell.ok("get", "cm", owner, "-n", ns, "-o", "jsonpath={.metadata.uid}");
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true };
    const dependent = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `of-${cascade}`, namespace: ns, ownerReferences: [reference] },
    };
    await shell.ok("create", "-f", file(cascade, dependent));
    await shell.ok("delete", "cm", owner, "-n", ns, `--cascade=${cascade}`);
    if (left === 0) await shell.ok("wait", `cm/of-${cascade}`, "-n", ns, "--for=delete", "--timeout=10s");
    const names = await shell.ok("get", "cm", "-n", ns, "-o", "name");
    expect(names.split("\n").filter((name) => name === `configmap/of-${cascade}`)).toHaveLength(left);
  });

  test("deletes a namespace with everything in it", async () => {
    await shell.ok("delete", "namespace", ns, "--timeout=30s");
    expect((await shell.run("get", "cm", "-n", ns)).err).toContain("No resources found");
  });
});

/** A kubeconfig with a token alone: beside a client certificate nobody would look at it. */
function tokenConfig(name: string, token: string): string {
  const config = parse(readFileSync(join(dataDir, "kubeconfig"), "utf8")) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token };
  const path = join(folder, name);
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

describe(`a watch that kubectl opened before a load of ${LOAD} objects`, () => {
  test("sees every event, in order", async () => {
    const [kubectl] = kubectls;
    if (!kubectl) throw new Error("there is no kubectl");
    const shell = new Shell(kubectl);
    const columns = "custom-columns=V:.metadata.resourceVersion,N:.metadata.name";
    const watching = shell.start("get", "cm", "-n", "default", "-w", "--no-headers", "-o", columns);
    const lines = createInterface({ input: watching.stdout as NonNullable<ChildProcess["stdout"]> });
    const transport = await capstan.connect();
    const client = createClient({ transport, env: createRealEnv(), fieldManager: "load" });
    const createMarker = (name: string) =>
      client.create(ConfigMap, { metadata: { name, namespace: "default" } });
    const seen: { version: number; name: string }[] = [];
    // Both are awaited from before their object is made: kubectl may print it before our own create is answered.
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    lines.on("line", (line) => {
      const [version = "", name = ""] = line.trim().split(/ +/);
      seen.push({ version: Number(version), name });
      if (name === "first") first.resolve();
      if (name === "last") last.resolve();
    });
    lines.on("close", () => last.reject(new Error(`kubectl ended after ${seen.length} lines`)));
    await createMarker("first");
    // Or kubectl has ended.
    await Promise.race([first.promise, last.promise]);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < LOAD) await createMarker(`load-${next++}`);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    await createMarker("last");
    await last.promise;
    watching.kill();
    await transport.close();
    const versions = seen.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(seen.map(({ name }) => name)).size).toBe(LOAD + 2);
    expect(seen).toHaveLength(LOAD + 2);
  });
});
