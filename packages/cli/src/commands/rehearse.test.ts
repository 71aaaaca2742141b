import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const EXAMPLES = join(import.meta.dirname, "../../../../examples");
let folder = "";

const poolMachine = (number: number): string => `---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachinePoolMachine
metadata:
  name: node-${number}
  namespace: default
  creationTimestamp: "2026-01-0${number}T00:00:00Z"
  labels: { cluster.x-k8s.io/pool-name: workers }
spec: { providerID: x }
`;
const VERSION = (version: string): string => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: workers, namespace: default }
spec: { template: { spec: { version: ${version} } } }
`;
const RESIZE = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: raft-workers, namespace: default }
spec: { template: { spec: { infrastructureRef: { name: raft-workers-large } } } }
`;
const WEB = (budget: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { nodeSelector: { pool: of-the-real-cluster }, containers: [{ name: main, image: nginx }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web, namespace: shop }
spec: { ${budget}, selector: { matchLabels: { app: web } } }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-rehearse-"));
  const example = ["cluster.yaml", "workers.yaml"].map((file) =>
    readFileSync(join(EXAMPLES, "machine-pool", file), "utf8"),
  );
  // A redacted dump: the Secret of the identity has no content.
  const redacted = example
    .join("\n---\n")
    .replace("clientSecret: simulated-secret", "clientSecret: REDACTED");
  write("dump.yaml", `${redacted}\n${[3, 1, 2].map(poolMachine).join("")}`);
  write("upgrade.yaml", VERSION("v1.34.1"));
  write("older.yaml", VERSION("v1.32.4"));
  write("repository.yaml", example.join("\n---\n").replaceAll("v1.33.5", "v1.34.1"));
  // A scale set has at most a thousand instances.
  write("too-large.yaml", VERSION("v1.33.5").replace("spec: {", "spec: { replicas: 1200,"));
  write("resize.yaml", RESIZE);
  write("same.yaml", VERSION("v1.33.5"));
  write("other.yaml", VERSION("v1.34.1").replace("workers", "worker"));
  write("elsewhere.yaml", VERSION("v1.34.1").replace("namespace: default", "namespace: prod"));
  write("typo.yaml", VERSION("v1.34.1").replace("version:", "verson:"));
  const documents = redacted.split(/^---$/m);
  write("cut-off.yaml", documents.filter((text) => !/^kind: AzureMachinePool$/m.test(text)).join("\n---\n"));
  write("refused.yaml", VERSION("latest"));
  write("blocked.yaml", WEB("minAvailable: 3"));
  write("fine.yaml", WEB("maxUnavailable: 1"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

async function rehearse(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const shell = testShell({ workingFolder: folder });
  const code = await run(["rehearse", "--from", "dump.yaml", "--seeds", "1", ...args], shell);
  return { code, ...shell.written };
}

describe("capstan rehearse", () => {
  test("says who is replaced and why, how long it takes, and what is assumed", async () => {
    const { code, out } = await rehearse("-f", "upgrade.yaml");
    expect(code).toBe(2);
    expect(out).toMatch(/^Carried out by Capstan \(assumed/);
    expect(out).toContain('MachinePool default/workers: spec.template.spec.version: "v1.33.5" to "v1.34.1"');
    expect(out).toContain("MachinePool default/workers, cluster quay: 3 replaced of 3");
    expect(out).toMatch(/3 waves, done after \d+m/);
    expect(out).toContain("available: at least 3 of 3, its budget is 3");
    expect(out).toContain("pods and disruption budgets are not given");
    expect(out).toContain("the model's table");
    expect(out).toMatch(/Verdict: disrupted within budgets \(exit code 2\): machines: 3 replaced\n$/);
  });

  test("finds that a change disrupts nothing", async () => {
    expect(await rehearse("-f", "same.yaml")).toMatchObject({
      code: 0,
      out: expect.stringContaining("nothing is disrupted") as string,
    });
  });

  test("takes the manifests of a whole cluster as they are in a repository, identity and Secret included", async () => {
    const { code, out } = await rehearse("-f", "repository.yaml");
    expect(out).toContain("AzureClusterIdentity default/quay-identity: unchanged");
    expect(out).toContain('MachinePool default/workers: spec.template.spec.version: "v1.33.5" to "v1.34.1"');
    expect(code).toBe(2);
  });

  test("the updater for Azure is simulated, and a resize in place counts as a disruption", async () => {
    const shell = testShell({ workingFolder: folder });
    const fleet = join(EXAMPLES, "in-place-resize");
    const code = await run(["rehearse", "-f", "resize.yaml", "--from", fleet, "--seeds", "1"], shell);
    expect(shell.written.out).toContain(
      "MachineDeployment default/raft-workers, cluster raft: 3 updated in place of 3",
    );
    expect(shell.written.out).toContain("available: at least 2 of 3");
    expect(shell.written.out).not.toContain("is not simulated");
    expect(code).toBe(2);
  });

  test("says that kubelets go back to an older version", async () => {
    const { out } = await rehearse("-f", "older.yaml");
    expect(out).toContain("MachinePool default/workers: note: the kubelets go back from v1.33.5 to v1.32.4");
  });

  test("names the disruption budget that blocks a drain, and ends with 3", async () => {
    const { code, out } = await rehearse("-f", "upgrade.yaml", "--workload", "quay=blocked.yaml");
    expect(code).toBe(3);
    expect(out).toMatch(/PodDisruptionBudget quay shop\/web (overridden after|blocks)/);
  });

  test("a budget with room for one pod is kept, and its pods are evicted one by one", async () => {
    const { code, out } = await rehearse("-f", "upgrade.yaml", "--workload", "quay=fine.yaml");
    expect(code).toBe(2);
    expect(out).toMatch(/Pods evicted: [3-9]/);
    expect(out).toContain("node selectors, affinity and volumes are left out");
  });

  test("the refusal of the server is the answer", async () => {
    const { code, out } = await rehearse("-f", "refused.yaml");
    expect(code).toBe(1);
    expect(out).toContain("Verdict: refused");
    expect(out).toContain("spec.template.spec.version");
  });

  test.each([
    [
      "other.yaml",
      "MachinePool default/worker: the fleet does not have it (did you mean workers?); a new one is refused",
    ],
    ["elsewhere.yaml", "the fleet does not have it; there is one in namespace default; a new one is refused"],
    [
      "typo.yaml",
      'MachinePool default/workers: strict decoding error: unknown field "spec.template.spec.verson"',
    ],
  ])("a change that does not fit the fleet is refused with its cause: %s", async (file, why) => {
    const { code, out } = await rehearse("-f", file);
    expect(code).toBe(1);
    expect(out).toContain(`Verdict: refused (exit code 1): the server refuses the change: `);
    expect(out).toContain(why);
    expect(out).not.toContain("Duration:");
  });

  test("a dump that lacks what its objects need gets no verdict, and the first cause is named", async () => {
    const shell = testShell({ workingFolder: folder });
    const args = ["rehearse", "-f", "upgrade.yaml", "--from", "cut-off.yaml", "--seeds", "1"];
    expect(await run(args, shell)).toBe(4);
    expect(shell.written.out).toContain(
      "Verdict: no verdict (exit code 4): AzureMachinePool default/workers is not in the dump, and MachinePool default/workers needs it",
    );
  });

  test("a rollout that takes longer than the limit gets no verdict", async () => {
    const { code, out } = await rehearse("-f", "upgrade.yaml", "--limit", "1m");
    expect(code).toBe(4);
    expect(out).toContain("not done within the limit in 1 seed");
    expect(out).toContain("is not done within the limit; give a longer --limit");
  });

  test("a pool that Azure refuses to make larger never settles, however often its controller tries", async () => {
    const { code, out } = await rehearse("-f", "too-large.yaml", "--limit", "4h");
    expect(code).toBe(3);
    expect(out).toContain("never settles in 1 seed: 3 of 1200 machines");
  });

  test("is the same for the same seed, and shows machines by their names in the dump", async () => {
    const [one, other] = [
      await rehearse("-f", "upgrade.yaml", "-o", "json"),
      await rehearse("-f", "upgrade.yaml", "-o", "json"),
    ];
    expect(one).toEqual(other);
    const { typical } = JSON.parse(one.out) as {
      typical: { facts: { groups: { machines: { name: string; fate: string }[] }[] } };
    };
    const replaced = typical.facts.groups[0]?.machines.filter(({ fate }) => fate === "replaced");
    expect(replaced?.map(({ name }) => name)).toEqual(["node-1", "node-2", "node-3"]);
  });

  test("writes a report in one file that asks no server for anything", async () => {
    await rehearse("-f", "upgrade.yaml", "--compare", "same.yaml", "--html", "report.html");
    const html = readFileSync(join(folder, "report.html"), "utf8");
    expect(html.match(/<article>/g)).toHaveLength(2);
    expect(html).toContain("budget 3");
    const [, same = ""] = html.split("<h2>same.yaml</h2>");
    expect(same.match(/class="up" x="150" y="\d+" width="482"/g)).toHaveLength(3);
    expect(same).not.toContain("3 available</text>");
    expect(html).not.toMatch(/https?:|<script|<link|<img|url\(/);
  });

  test("markdown has a row for each group that changes", async () => {
    const { out } = await rehearse("-f", "upgrade.yaml", "-o", "markdown");
    expect(out).toMatch(/^### Rehearsal: disrupted within budgets\n/);
    expect(out).toMatch(/\| MachinePool `default\/workers` \| `quay` \| 3 replaced of 3 \| 3 \|/);
  });

  test.each([
    [["-f", "missing.yaml"], 1, "-f missing.yaml cannot be read: there is no such file"],
    [["-f", "upgrade.yaml", "--from", "missing.yaml"], 1, "--from missing.yaml cannot be read"],
    [["-f", "upgrade.yaml", "--workload", "blocked.yaml"], 1, "expected NAME=FILE"],
    [
      ["-f", "upgrade.yaml", "--workload", "other=blocked.yaml"],
      1,
      "the dump has no such Cluster; it has default/quay",
    ],
    [["-f", "upgrade.yaml", "--workload", "quay=dump.yaml"], 1, "--workload quay=dump.yaml has no pods"],
    [["-f", "upgrade.yaml", "--read-workloads"], 1, "--read-workloads needs the management cluster"],
    [["-f", "upgrade.yaml", "--faults", "no-such"], 1, "no-such"],
    [["-f", "upgrade.yaml", "--compare", "missing.yaml"], 1, "--compare missing.yaml cannot be read"],
    [["-f", "upgrade.yaml", "--html", "no-such/report.html"], 1, "cannot be written: there is no folder"],
    [["-f", "upgrade.yaml", "--html", "."], 1, "--html . cannot be written: it is a folder"],
    [["-f", "upgrade.yaml", "--seeds", "some"], 1, "whole number"],
    [["-f", "upgrade.yaml", "--seeds", "0"], 1, "at least one seed"],
  ])("a command line that cannot be carried out is answered in a sentence: %j", async (args, code, why) => {
    expect(await rehearse(...args)).toMatchObject({
      code,
      out: "",
      err: expect.stringContaining(why) as string,
    });
  });

  test("a dump without a Cluster is refused with the command that makes one", async () => {
    const shell = testShell({ workingFolder: folder });
    expect(await run(["rehearse", "-f", "upgrade.yaml", "--from", "fine.yaml"], shell)).toBe(1);
    expect(shell.written.err).toContain(
      "--from has no Cluster; expected the output of: kubectl get clusters",
    );
  });
});
