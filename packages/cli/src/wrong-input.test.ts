import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Handler, serveHttp } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandPaths, run } from "./program.ts";
import { kubeconfigOf } from "./kubeconfig.fixture.ts";
import { testShell } from "./shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-wrong-"));
const MANIFEST = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachinePol\nmetadata: {name: x}\n";

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  empty: "",
  binary: new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]),
  "huge.kubeconfig": `a: ${"x".repeat(2_000_000)}`,
  "dead.kubeconfig": kubeconfigOf("http://127.0.0.1:1"),
  "kind.yaml": MANIFEST,
};

const PAGE = "<html>welcome</html>";
const website: Handler = () =>
  Promise.resolve({
    status: 200,
    headers: { "content-type": "text/html" },
    text: () => Promise.resolve(PAGE),
    json: () => Promise.reject(new SyntaxError(PAGE)),
    lines: async function* () {
      yield await Promise.resolve(PAGE);
    },
  });
let webServer: Awaited<ReturnType<typeof serveHttp>>;

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "folder"));
  webServer = await serveHttp(website);
  writeFileSync(join(folder, "website.kubeconfig"), kubeconfigOf(`http://127.0.0.1:${webServer.port}`));
});
afterAll(async () => {
  await webServer.close();
  rmSync(folder, { recursive: true, force: true });
});

async function capstan(line: string): Promise<{ code: number; out: string; err: string }> {
  const shell = testShell({ workingFolder: folder, variables: { HOME: folder } });
  const code = await run(line.split(" "), shell);
  return { code, ...shell.written, err: shell.written.err.replaceAll(folder, "HERE") };
}

describe("a wrong input is answered with one sentence: its cause, then what to do", () => {
  test.each([
    "get clusters",
    "describe cluster quay",
    "get kubeconfig quay",
    "sim status",
    "rollout status workers",
    "plan -f kind.yaml",
    "prototype list",
  ])("%s with a file for the data directory", async (line) => {
    expect(await capstan(`${line} --data-dir empty`)).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^(note: .*\n)?capstan: HERE\/empty is a file; choose a folder with --data-dir\n$/,
      ) as string,
    });
  });

  test.each([
    ["--kubeconfig empty", "HERE/empty is empty; a kubeconfig has lists of clusters, contexts and users"],
    ["--kubeconfig folder", "the kubeconfig HERE/folder cannot be read: it is a folder"],
    [
      "--kubeconfig huge.kubeconfig",
      "HERE/huge.kubeconfig is not a kubeconfig: it has 1.9 MiB, and none is larger than 1.0 MiB",
    ],
  ])("get clusters %s", async (flags, sentence) => {
    expect(await capstan(`get clusters ${flags}`)).toEqual({
      code: 1,
      out: "",
      err: `capstan: ${sentence}\n`,
    });
  });

  test.each([
    ["plan -f gone.yaml", "-f gone.yaml cannot be read: there is no such file"],
    [
      "plan -f kind.yaml",
      "no object given is one of AzureCluster, AzureMachinePool, AzureManagedControlPlane, KubeadmControlPlane, MachineDeployment, MachinePool, MachineSet; did you mean MachinePool instead of MachinePol?",
    ],
    ["manager --kubeconfig gone", "--kubeconfig gone cannot be read: there is no such file"],
    ["manager --kubeconfig folder", "--kubeconfig folder cannot be read: it is a folder"],
    ["sim run folder", "folder:1:1: is a folder; give a file"],
    ["sim run binary", "binary:1:1: is not text in UTF-8; a scenario is YAML"],
  ])("%s", async (line, sentence) => {
    const { code, out, err } = await capstan(line);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`${sentence}\n`);
    expect(err).not.toContain("ENOENT");
  });

  test("plan of a large file says what it waits for, and does not compare all keys with each other", async () => {
    const lines = Array.from({ length: 40_000 }, (_, key) => `  k${key}: ${"x".repeat(20)}\n`);
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n${lines.join("")}`;
    writeFileSync(join(folder, "large.yaml"), text);
    const { code, err } = await capstan("plan -f large.yaml");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("note: reading 1.2 MiB of YAML; kubectl get -o json is read far faster\n"),
    ]);
  });

  test.each(["init", "manager"])("%s where no server answers, or another one does", async (verb) => {
    expect(await capstan(`${verb} --kubeconfig dead.kubeconfig`)).toEqual({
      code: 1,
      out: "",
      err: "capstan: no server answers at http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; check the address, and that the server runs\n",
    });
    const { code, err } = await capstan(`${verb} --kubeconfig website.kubeconfig`);
    expect(code).toBe(1);
    expect(err).toBe(
      "capstan: the server does not answer as a Kubernetes API does (GET /version: 200); check the address in the kubeconfig\n",
    );
  });

  test.each([
    ["describe clusters quay", "(Did you mean describe cluster quay?)"],
    [
      "describe machinepool workers",
      "capstan describes clusters only; for other kinds: kubectl describe machinepool workers",
    ],
  ])("%s", async (line, sentence) => {
    const { code, err } = await capstan(line);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test("status of what does not run names the next step", async () => {
    const { code, out } = await capstan("status --data-dir folder");
    expect([code, out]).toEqual([
      3,
      expect.stringContaining(
        "not running; start it with: capstan up --data-dir HERE/folder".replace("HERE", folder),
      ),
    ]);
  });
});

test("the help of every command keeps within the window", async () => {
  const wide: string[] = [];
  for (const path of commandPaths(testShell())) {
    const { out } = await capstan(`${path} --help`.trim());
    wide.push(
      ...out
        .split("\n")
        .filter((line) => line.length > 100)
        .map((line) => `${path}: ${line}`),
    );
  }
  expect(wide).toEqual([]);
});
