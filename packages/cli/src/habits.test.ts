import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Handler, serveHttp } from "@capstan/env";
import { afterAll, describe, expect, test } from "vitest";
import { withOneName } from "./completion/other-programs.ts";
import { kubeconfigOf } from "./kubeconfig.fixture.ts";
import { run } from "./program.ts";
import { testShell } from "./shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-habits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function capstan(line: string): Promise<{ code: number; out: string; err: string }> {
  const shell = testShell({ workingFolder: folder, variables: { HOME: folder } });
  const code = await run(line.split(" "), shell);
  return { code, ...shell.written };
}

describe("a command of kubectl or clusterctl that capstan lacks is answered with the right one", () => {
  test.each([
    ["get machinepools", "kubectl get machinepools"],
    ["get machines workers-1", "kubectl get machines workers-1"],
    ["apply -f pool.yaml", "kubectl apply -f pool.yaml"],
    ["logs pod", "kubectl logs pod"],
    ["move --to-kubeconfig other", "clusterctl move --to-kubeconfig other"],
    ["generate cluster demo", "clusterctl generate cluster demo"],
    ["upgrade plan", "clusterctl upgrade plan"],
    ["start --speed 60", "capstan up --speed 60"],
    ["stop", "capstan down"],
  ])("%s", async (line, other) => {
    const { code, out, err } = await capstan(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`capstan does not have this command; use: ${other}\n`);
    expect(err).not.toContain("unknown");
  });

  test("but a typo is answered with the nearest command of ours", async () => {
    expect((await capstan("statsu")).err).toContain("(Did you mean status?)");
    expect((await capstan("get clustres")).err).toContain("(Did you mean clusters?)");
  });
});

test.each([
  ["rollout status md/a -w", "rollout status md a -w"],
  ["rollout pause MachineDeployments/a", "rollout pause MachineDeployments a"],
  ["rollout status workers", "rollout status workers"],
  ["rollout status md --watch", "rollout status md --watch"],
  ["describe cluster quay -o json", "describe cluster/quay -o json"],
  ["describe cluster quay", "describe cluster quay"],
])("%s is also understood as %s", (ours, given) => {
  expect(withOneName(given.split(" "))).toEqual(ours.split(" "));
});

test("the hint to start names the data directory that was given", async () => {
  const start = `start with: capstan up --data-dir ${folder}/mine`;
  expect((await capstan("get clusters --data-dir mine")).err).toContain(start);
  expect((await capstan("get kubeconfig --data-dir mine")).err).toContain(start);
});

test("help shows the commands in groups", async () => {
  const { out } = await capstan("--help");
  const groups = [...out.matchAll(/^([A-Z][A-Za-z ]+):$/gm)].map(([, name]) => name);
  expect(groups).toEqual(expect.arrayContaining(["Run", "Look", "Change", "Rehearse"]));
  expect(groups).not.toContain("Commands");
});

test("a manifest is not a scenario: the answer says what to do with it", async () => {
  writeFileSync(join(folder, "pool.yaml"), "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n");
  const { code, err } = await capstan("sim run pool.yaml");
  expect(code).toBe(1);
  expect(err).toContain(
    "pool.yaml:1:1: is a manifest of Kubernetes, not a scenario; capstan plan -f shows what applying it would do",
  );
  expect(err).not.toContain("must be one document");
});

test("the kubeconfig of a workload cluster is called that", async () => {
  const missing: Handler = () =>
    Promise.resolve({
      status: 404,
      headers: { "content-type": "text/plain" },
      text: () => Promise.resolve("404 page not found\n"),
      json: () => Promise.reject(new SyntaxError("404")),
      lines: async function* () {
        yield await Promise.resolve("404 page not found");
      },
    });
  const server = await serveHttp(missing);
  try {
    writeFileSync(join(folder, "workload.kubeconfig"), kubeconfigOf(`http://127.0.0.1:${server.port}`));
    const { err } = await capstan("get clusters --kubeconfig workload.kubeconfig");
    expect(err).toBe(
      "capstan: this cluster has no kind clusters of cluster.x-k8s.io: it is a workload cluster, or Cluster API is not installed in it; choose the management cluster with --kubeconfig or --context\n",
    );
  } finally {
    await server.close();
  }
});
