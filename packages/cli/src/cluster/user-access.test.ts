import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AzureMachinePool, isPausedByAnnotation, type KubernetesObject } from "@capstan/api";
import { azureCluster, cluster, namespace } from "@capstan/runtime/testing/builders";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { servedManagement } from "../plan/management.fixture.ts";
import { machinePoolObject, poolObject } from "../plan/planners/pool-objects.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-access-"));
const at = (name: string): string => join(folder, name);
let management: Awaited<ReturnType<typeof servedManagement>>;

const inTeam = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: "team-a" },
});
/** The objects of a namespace: a cluster and a pool without machines. */
const settled = [cluster(), azureCluster(), poolObject(), machinePoolObject({ spec: { replicas: 0 } })];

beforeAll(async () => {
  management = await servedManagement(
    namespace({ metadata: { name: "team-a" } }),
    ...settled,
    ...settled.map(inTeam),
  );
  writeFileSync(at("config"), kubeconfig("main"));
});
afterAll(async () => {
  await management.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A kubeconfig with one context that sets a namespace and one that does not. */
function kubeconfig(current: string): string {
  const context = { cluster: "here", user: "me" };
  return stringify({
    "current-context": current,
    clusters: [{ name: "here", cluster: { server: management.url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "me", user: {} }],
    contexts: [
      { name: "main", context: { ...context, namespace: "team-a" } },
      { name: "bare", context },
    ],
  });
}

const capstan = (...args: readonly string[]) => capstanWith("config", ...args);

async function capstanWith(list: string, ...args: readonly string[]) {
  const shell = testShell({ workingFolder: folder, variables: { KUBECONFIG: list, HOME: folder } });
  const code = await run(args, shell);
  return { code, ...shell.written };
}

test("a data directory on the command line comes before KUBECONFIG", async () => {
  const { code, err } = await capstan("get", "clusters", "--data-dir", "elsewhere");
  expect(code).toBe(1);
  expect(err).toContain(`there is no kubeconfig at ${at("elsewhere")}`);
  expect((await capstan("get", "clusters")).code).toBe(0);
});

describe("the namespace of a command", () => {
  const isPaused = async (name: string): Promise<boolean> =>
    isPausedByAnnotation(await management.client.get(AzureMachinePool, { name: "pool", namespace: name }));

  test.each<[string, string, readonly string[]]>([
    ["the namespace of the context", "team-a", []],
    ["the namespace of -n before that of the context", "default", ["-n", "default"]],
    ["the namespace of the chosen context", "default", ["--context", "bare"]],
  ])("is %s", async (_, expected, flags) => {
    const other = expected === "default" ? "team-a" : "default";
    const { code, out } = await capstan("rollout", "pause", "pool", ...flags);
    expect([code, out]).toEqual([0, expect.stringContaining(`AzureMachinePool ${expected}/pool paused`)]);
    expect([await isPaused(expected), await isPaused(other)]).toEqual([true, false]);
    await capstan("rollout", "resume", "pool", ...flags);
  });

  test("is that of the context for every command", async () => {
    expect((await capstan("rollout", "status", "pool")).out).toContain("AzureMachinePool team-a/pool");
    expect((await capstan("rollout", "status", "default/pool")).out).toContain("default/pool");
    expect((await capstan("describe", "cluster", "missing")).err).toContain("in namespace team-a");
    expect((await capstan("get", "clusters", "-o", "json")).out).toContain('"namespace": "team-a"');
    expect((await capstan("get", "clusters", "-o", "json")).out).not.toContain('"namespace": "default"');
  });

  test("applies to manifests that do not set one", async () => {
    const written = [poolObject(), machinePoolObject({ spec: { replicas: 2 } })].map((object) =>
      stringify({ ...object, status: undefined, metadata: { name: object.metadata.name } }),
    );
    writeFileSync(at("pool.yaml"), written.join("---\n"));
    const { code, out } = await capstan("plan", "-f", "pool.yaml");
    expect([code, out]).toEqual([0, expect.stringContaining("AzureMachinePool team-a/pool\n")]);
    expect((await capstan("plan", "-f", "pool.yaml", "-n", "default")).out).toContain("default/pool\n");
  });

  test("is not needed for a dump: it is planned without a kubeconfig, too", async () => {
    writeFileSync(at("dump.yaml"), settled.map((object) => stringify(object)).join("---\n"));
    const { code, out } = await capstan(
      "plan",
      "-f",
      "dump.yaml",
      "--kubeconfig",
      "absent",
      "--now",
      "2026-01-01T12:00:00Z",
    );
    expect([code, out]).toEqual([0, expect.stringContaining("AzureMachinePool default/pool\n")]);
  });
});

describe("KUBECONFIG", () => {
  beforeAll(() => {
    mkdirSync(at("folder"));
    const { clusters, users, contexts } = parse(kubeconfig("main")) as Record<string, unknown>;
    writeFileSync(at("contexts"), stringify({ "current-context": "main", contexts }));
    writeFileSync(at("clusters"), stringify({ "current-context": "bare", clusters, users }));
  });

  test("lists files that are merged into one kubeconfig; a missing file is skipped", async () => {
    const { code, out } = await capstanWith("contexts::absent:clusters", "rollout", "status", "pool");
    expect([code, out]).toEqual([0, expect.stringContaining("AzureMachinePool team-a/pool is rolled out")]);
  });

  test.each<[string, string, string]>([
    ["exists at all", "absent:gone", "there is no kubeconfig at PLACE/absent:PLACE/gone; "],
    // A folder fails to be read just as a file without read permission does.
    ["can be read", "folder:config", "the kubeconfig PLACE/folder cannot be read: it is a folder"],
  ])("is refused if no file %s", async (_, list, message) => {
    for (const command of [["get", "clusters"], ["init"]]) {
      const { code, err } = await capstanWith(list, ...command);
      expect([code, err]).toEqual([1, expect.stringContaining(message.replaceAll("PLACE", folder))]);
    }
  });
});
