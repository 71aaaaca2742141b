import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { kubeconfigPath } from "@capstan/apiserver/layout";
import { cluster, machineDeployment, namespace } from "@capstan/runtime/testing/builders";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubeconfigOf } from "./kubeconfig.fixture.ts";
import { servedManagement } from "./plan/management.fixture.ts";
import { machinePoolObject, poolObject } from "./plan/planners/pool-objects.fixture.ts";
import { run } from "./program.ts";
import { testShell } from "./shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-completion-"));
let management: Awaited<ReturnType<typeof servedManagement>>;

beforeAll(async () => {
  management = await servedManagement(
    namespace({ metadata: { name: "team-a" } }),
    cluster({ metadata: { name: "quay", namespace: "default" } }),
    cluster({ metadata: { name: "pier", namespace: "team-a" } }),
    machineDeployment({ metadata: { name: "workers", namespace: "default" } }),
    poolObject(),
    machinePoolObject({ spec: { replicas: 0 } }),
  );
  writeFileSync(join(folder, "config"), kubeconfigOf(management.url));
});
afterAll(async () => {
  await management.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The words that a shell offers, and what the user would see besides. */
async function offered(words: readonly string[], kubeconfig = "config") {
  const shell = testShell({ workingFolder: folder, variables: { HOME: folder, KUBECONFIG: kubeconfig } });
  const code = await run(["__complete", "--", ...words], shell);
  const { out, err } = shell.written;
  return { code, err, words: out.split("\n").flatMap((line) => line.split("\t").slice(0, -1)) };
}

describe("a shell completes", () => {
  test.each([
    ["the clusters", ["describe", "cluster", ""], ["quay"]],
    ["the clusters of a namespace", ["describe", "cluster", "-n", "team-a", ""], ["pier"]],
    ["the beginning of a name", ["describe", "cluster", "x"], []],
    ["pools and the owners of machines", ["rollout", "status", ""], ["pool", "md/workers"]],
    ["owners by their kind", ["rollout", "pause", "md/"], ["md/workers"]],
    ["nothing after the name", ["describe", "cluster", "quay", ""], []],
  ])("%s", async (_, words, expected) => {
    expect(await offered(words)).toEqual({ code: 0, err: "", words: expected });
  });

  test("the clusters of a data directory, an AKS cluster by its name in Azure", async () => {
    for (const name of ["quay", "aks--harbor-8b9fd30afb41e8b8"])
      mkdirSync(dirname(kubeconfigPath(join(folder, ".capstan"), name)), { recursive: true });
    expect((await offered(["get", "kubeconfig", ""])).words).toEqual(["harbor", "quay"]);
  });

  test("no names, quietly, where no cluster answers", async () => {
    expect(await offered(["describe", "cluster", ""], "absent")).toEqual({ code: 0, err: "", words: [] });
  });
});

test("the bare name of a MachineDeployment is answered with the name that rollout takes", async () => {
  const shell = testShell({ workingFolder: folder, variables: { HOME: folder, KUBECONFIG: "config" } });
  expect(await run(["rollout", "status", "workers"], shell)).toBe(1);
  expect(shell.written.err).toBe("capstan: workers is a MachineDeployment; name it as md/workers\n");
});

describe("get clusters", () => {
  const capstan = async (...args: string[]) => {
    const shell = testShell({ workingFolder: folder, variables: { HOME: folder, KUBECONFIG: "config" } });
    return { code: await run(args, shell), ...shell.written };
  };

  test("lists the named clusters only, as kubectl does, and refuses a name that none has", async () => {
    const { code, out } = await capstan("get", "cluster", "quay");
    expect([code, out]).toEqual([0, expect.stringMatching(/^NAME[^\n]*\nquay [^\n]*\n$/)]);
    expect((await capstan("get", "clusters", "quay", "qay")).err).toBe(
      'capstan: there is no Cluster "qay" in namespace default; did you mean quay? existing: quay\n',
    );
  });

  test("describe notes conditions of a kind that the cluster does not have", async () => {
    const { err } = await capstan("describe", "cluster", "quay", "--show-conditions", "Clustr");
    expect(err).toBe(
      'note: no part of the cluster is of kind "Clustr"; did you mean Cluster? existing: Cluster, AzureCluster, KubeadmControlPlane\n',
    );
  });
});
