import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, type KubernetesObject, MachinePool, Namespace } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { cluster, machinePool } from "@capstan/runtime/testing/builders";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { killAll, launch } from "../journeys/capstan.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";
import { requestsOf } from "./management.ts";

const DEFINITIONS = ["clusters", "machinepools", "machinedeployments", "machines"];
const HOW_TO = "docs/how-to/watch-in-a-browser.md";
const USER = "system:serviceaccount:team:jo";

let plane: ControlPlane;
let client: Client;
const folder = mkdtempSync(join(tmpdir(), "capstan-page-kube-"));
const config = join(folder, "config");

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  client = createClient({ transport: plane.connect(), env: createRealEnv(), fieldManager: "test" });
  for (const plural of DEFINITIONS) {
    const file = `packages/api/crds/cluster.x-k8s.io_${plural}.yaml`;
    const definition = parse(readFileSync(file, "utf8")) as CustomResourceDefinition;
    await establish(client, definition, { isConverted: true });
  }
  for (const name of ["team", "others"]) await client.create(Namespace, { metadata: { name } });
  await client.create(Cluster, cluster({ metadata: { name: "mine", namespace: "team" } }));
  await client.create(Cluster, cluster({ metadata: { name: "theirs", namespace: "others" } }));
  await client.create(MachinePool, machinePool({ metadata: { name: "pool", namespace: "team" } }));
  grant();
  writeFileSync(config, kubeconfig(kubectl("create", "token", "jo", "-n", "team").trim()), { mode: 0o600 });
});
afterAll(async () => {
  killAll();
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

function kubectl(...args: readonly string[]): string {
  return execFileSync(plane.kubectl, ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });
}

/** A ServiceAccount that may read Clusters and pools of one namespace, and no MachineDeployments. */
function grant(): void {
  const metadata = { name: "jo", namespace: "team" };
  const apiGroup = "rbac.authorization.k8s.io";
  const objects: readonly KubernetesObject[] = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "Role",
      metadata,
      rules: [
        {
          apiGroups: [Cluster.group],
          resources: [Cluster.plural, MachinePool.plural, "machines"],
          verbs: ["get", "list", "watch"],
        },
      ],
    } as KubernetesObject,
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "Role", name: "jo" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    } as KubernetesObject,
  ];
  const file = join(folder, "rights.yaml");
  writeFileSync(file, objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(""));
  kubectl("apply", "-f", file);
}

function kubeconfig(token: string): string {
  const { url, ca } = plane;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "test",
        cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") },
      },
    ],
    users: [{ name: "jo", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "jo", namespace: "team" } }],
    "current-context": "test",
  });
}

/** Logs in as a browser does; returns the path of the session and its cookie. */
async function openSession(link: string): Promise<{ readonly base: string; readonly cookie: string }> {
  const { origin, hash } = new URL(link);
  const answer = await fetch(`${origin}/session`, {
    method: "POST",
    body: hash.slice(1),
    headers: { origin, "content-type": "text/plain" },
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { base: `${origin}/s/${await answer.text()}`, cookie };
}

test("a ServiceAccount sees its namespace, a sentence for what it may not see, and no Secret", async () => {
  // The command of the how-to, with this kubeconfig and any port.
  const [, flags = ""] = /npx capstan (page --kubeconfig .*)/.exec(readFileSync(HOW_TO, "utf8")) ?? [];
  const words = flags.replace("management.kubeconfig", config).replace("7400", "0").split(" ");
  const page = launch(words);
  const [link = ""] = /http:\S+#[0-9a-f]+/.exec(await page.until(/#[0-9a-f]+/)) ?? [];
  const { base, cookie } = await openSession(link);
  const ask = (path: string): Promise<Response> => fetch(`${base}/${path}`, { headers: { cookie } });
  /** The first message of a stream, as it is on the wire. */
  const first = async (query: string): Promise<string> => {
    const { body } = await ask(`stream?${query}`);
    const text = await body?.pipeThrough(new TextDecoderStream()).getReader().read();
    return text?.value ?? "";
  };
  const fleet = await first("view=fleet");
  expect(fleet).toContain('"scope":"namespace team"');
  expect(fleet).toContain('"key":"team/mine"');
  expect(fleet).toContain("MachineDeployment cannot be listed");
  expect(fleet).toContain("forbidden");
  expect(fleet).not.toContain("theirs");
  expect(await first("view=cluster&namespace=others&name=theirs")).toContain('"type":"problem"');
  const secret = await ask("stream?view=object&apiVersion=v1&kind=Secret&namespace=team&name=token");
  expect([secret.status, await secret.text()]).toEqual([404, expect.stringContaining("are not shown")]);
  page.child.kill("SIGTERM");
  await page.ended;
  const asked = JSON.stringify(requestsOf(plane, USER));
  expect(asked).toContain("selfsubjectaccessreviews");
  expect(asked).not.toMatch(/secrets|"delete"|"patch"|"update"/);
});
