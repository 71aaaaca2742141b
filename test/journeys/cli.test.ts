import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, Namespace } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, connectWithKubeconfig, createClient } from "@capstan/runtime";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-cli-"));
afterEach(killAll);
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function start(folder: string): Promise<Running> {
  const running = launch(["up", "--port", "0", "--data-dir", folder]);
  await running.until(READY);
  return running;
}

/** Connects a client to a cluster through a kubeconfig. */
async function using<T>(kubeconfig: string, use: (client: Client) => Promise<T>): Promise<T> {
  const transport = await connectWithKubeconfig({ text: kubeconfig });
  try {
    return await use(createClient({ transport, env: createRealEnv(), fieldManager: "journey" }));
  } finally {
    await transport.close();
  }
}

describe("capstan", () => {
  test("keeps everything over kill -9, refuses a second server, stops and removes itself", async () => {
    const folder = join(root, "life");
    const kubeconfigFile = join(folder, "kubeconfig");
    const first = await start(folder);
    const printed = await first.until(/describe/);
    const steps = printed
      .slice(0, printed.indexOf("\n\n"))
      .replaceAll(/(?<=:)\d+$|\d{4}-\d\d-\d\d|\d+(?= ms)/gm, "N");
    expect(steps.replace(/read: \d+/, "read: N").split("\n")).toEqual([
      `data directory ${folder} (new)`,
      "objects read: N",
      "certificates valid until N",
      "API listening on https://127.0.0.1:N",
      "CRDs installed: 26 (26 new, 0 updated, 0 unchanged)",
      expect.stringMatching(/^simulated Azure on https:\/\/127\.0\.0\.1:\d+: 0 resources, seed \S{36}$/),
      "workload clusters: 0, guests: 0",
      "controllers: azureclusteridentity, cluster, azurecluster, kubeadmcontrolplane, machinepool, machinedeployment, machineset, machine, kubeadmconfig, azuremachine, azuremachinetemplate, azuremachinepool, azuremachinepoolmachine, nodeprototype, templateprototype, azuremanagedcluster, azuremanagedcontrolplane, azuremanagedmachinepool, machinehealthcheck, extensionconfig",
      "ready in N ms",
    ]);
    expect(printed).toContain(
      `  export KUBECONFIG=${kubeconfigFile}\n  kubectl apply -f examples/machine-pool/\n`,
    );
    expect(statSync(kubeconfigFile).mode & 0o777).toBe(0o600);

    await using(readFileSync(kubeconfigFile, "utf8"), async (client) => {
      const metadata = { name: "kept", namespace: "default" };
      await client.create(ConfigMap, { metadata, data: { deck: "upper" } });
    });
    first.child.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");

    const second = await start(folder);
    expect(await second.until(READY)).toContain("CRDs installed: 26 (0 new, 0 updated, 26 unchanged)");
    const names = await using(readFileSync(kubeconfigFile, "utf8"), async (client) => {
      expect((await client.get(ConfigMap, { name: "kept", namespace: "default" })).data).toEqual({
        deck: "upper",
      });
      return (await client.list(Namespace)).map(({ metadata }) => metadata.name);
    });
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);

    const third = await capstan("up", "--port", "0", "--data-dir", folder);
    expect([third.code, third.out]).toEqual([1, ""]);
    expect(third.err).toMatch(
      new RegExp(
        `^capstan: ${folder} is held by pid ${second.child.pid} since \\S+Z, https://127.0.0.1:\\d+; stop it with: capstan down --data-dir ${folder}\n$`,
      ),
    );
    const stopped = await capstan("down", "--data-dir", folder);
    expect([stopped.code, stopped.out]).toEqual([
      0,
      expect.stringContaining(`stopped pid ${second.child.pid} since`),
    ]);
    expect(await second.ended).toMatchObject({
      code: 0,
      out: expect.stringContaining(`stopped; all data is kept in ${folder}\n`) as string,
      err: "",
    });

    expect(await capstan("down", "--purge", "--data-dir", folder)).toMatchObject({
      code: 0,
      out: `nothing is running in ${folder}\nremoved ${folder}\n`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  test("stops on Ctrl-C with a message and exit code 0", async () => {
    const running = await start(join(root, "interrupted"));
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/stopping\nstopped; all data is kept in .*interrupted\n$/) as string,
    });
  });
});

describe("the program in bin", () => {
  /** Makes Node report another version. */
  const pretending = (change: string): string[] => [
    "--import",
    `data:text/javascript,${encodeURIComponent(
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });${change}`,
    )}`,
  ];
  const hasBundledNode = existsSync(
    join(import.meta.dirname, `../../node_modules/node-${process.platform}-${process.arch}/bin/node`),
  );

  test.skipIf(!hasBundledNode)("starts the bundled Node when an old one runs it", async () => {
    const { code, out } = await launch(["get", "kubeconfig", "none", "--data-dir", root], {
      nodeArgs: pretending(""),
    }).ended;
    expect([code, out]).toEqual([1, ""]);
    const version = await launch(["version", "-o", "json", "--data-dir", join(root, "no")], {
      nodeArgs: pretending(""),
    }).ended;
    expect([version.code, (JSON.parse(version.out) as { node: string }).node]).toEqual([
      0,
      expect.stringMatching(/^v2[2-9]\./),
    ]);
  });

  test("names the required Node version if no other is available", async () => {
    const { code, err } = await launch(["version"], {
      nodeArgs: pretending('Object.defineProperty(process, "arch", { value: "abacus" });'),
    }).ended;
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("capstan: needs Node 22.19 or newer; this is v"),
    ]);
  });
});

test("a command loads neither servers nor the official client of Kubernetes", async () => {
  const kubeconfigFile = join(root, "nowhere.kubeconfig");
  const config = {
    "current-context": "nowhere",
    clusters: [{ name: "nowhere", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "captain", user: { token: "aye" } }],
    contexts: [{ name: "nowhere", context: { cluster: "nowhere", user: "captain" } }],
  };
  writeFileSync(kubeconfigFile, JSON.stringify(config));
  const report = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`;
  const { out, err } = await launch(["get", "clusters", "--kubeconfig", kubeconfigFile], {
    nodeArgs: ["--import", `data:text/javascript,${encodeURIComponent(report)}`],
  }).ended;
  expect(err).toContain("127.0.0.1:1");
  const loaded = out.split("\n");
  expect(loaded.some((url) => url.endsWith("/runtime/src/client/client.ts"))).toBe(true);
  const heavy =
    /client-node|\/azure-sim\/|\/apiserver\/src\/(index|http|registry)|\/packages\/(manager|sim|plan)\//;
  expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
});

test("two processes print the same story for the same seed, and another for another", async () => {
  const scenario = join(import.meta.dirname, "../../examples/scenarios/boot-100.yaml");
  const runScenario = async (seed: string): Promise<string> => {
    const { code, out } = await launch(["sim", "run", scenario, "--seed", seed]).ended;
    expect(code).toBe(0);
    return out;
  };
  const [first, again, other] = [await runScenario("7"), await runScenario("7"), await runScenario("8")];
  expect(first).toMatch(/^trace +[0-9a-f]{64}$/m);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
