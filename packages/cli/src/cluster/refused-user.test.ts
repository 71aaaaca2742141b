import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Handler, serveHttp } from "@capstan/env";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubeconfigOf } from "../kubeconfig.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-refused-"));
const config = join(folder, "config");
const DENIED = 'User "jo" cannot list resource "clusters" in API group "cluster.x-k8s.io"';
const QUOTA = 'clusters "quay" is forbidden: exceeded quota: small';

/** The answer to every request. */
let refusal = { code: 0, reason: "", message: "" };
const refuses: Handler = () => {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", ...refusal };
  return Promise.resolve({
    status: refusal.code,
    headers: { "content-type": "application/json" },
    text: () => Promise.resolve(JSON.stringify(body)),
    json: () => Promise.resolve(body),
    lines: async function* () {
      yield await Promise.resolve(body);
    },
  });
};
let server: Awaited<ReturnType<typeof serveHttp>>;

beforeAll(async () => {
  server = await serveHttp(refuses);
  writeFileSync(config, kubeconfigOf(`http://127.0.0.1:${server.port}`));
  writeFileSync(
    join(folder, "pool.yaml"),
    "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachinePool\nmetadata: {name: workers}\nspec: {clusterName: quay, template: {spec: {clusterName: quay, bootstrap: {}, infrastructureRef: {kind: AzureMachinePool, name: workers, apiVersion: infrastructure.cluster.x-k8s.io/v1beta1}}}}\n",
  );
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function capstan(command: string): Promise<readonly [code: number, err: string]> {
  const shell = testShell({ workingFolder: folder });
  const code = await run([...command.split(" "), "--kubeconfig", config], shell);
  return [code, shell.written.err];
}

test.each([
  "get clusters",
  "describe cluster quay",
  "plan -f pool.yaml",
  "rollout status workers",
  "prototype list",
])(
  "%s names a missing permission, and credentials that are not accepted, with the next step",
  async (command) => {
    refusal = {
      code: 403,
      reason: "Forbidden",
      message: `clusters.cluster.x-k8s.io is forbidden: ${DENIED}`,
    };
    expect(await capstan(command)).toEqual([
      1,
      `capstan: permission denied: ${DENIED}; ask an administrator of the cluster for a role that allows it\n`,
    ]);
    refusal = { code: 401, reason: "Unauthorized", message: "Unauthorized" };
    expect(await capstan(command)).toEqual([
      1,
      "capstan: not logged in, or the login has expired: the server does not accept the token or certificate in the kubeconfig; log in again, or get a new kubeconfig\n",
    ]);
  },
);

test("a request that is forbidden for another reason keeps the words of the server", async () => {
  refusal = { code: 403, reason: "Forbidden", message: QUOTA };
  const [code, err] = await capstan("get clusters");
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(`^capstan: permission denied: ${QUOTA} \\(GET /apis/\\S+\\)\n$`),
  ]);
  expect(err).not.toContain("ask an administrator");
});
