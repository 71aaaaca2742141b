/** `capstan up` serves the way to etcd as a real API server does: other processes reach the members of its clusters. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { issueCertificate } from "@capstan/apiserver";
import { parseKubeconfig } from "@capstan/apiserver/kubeconfig";
import { createPortForwardTransport, createRealEnv } from "@capstan/env";
import { afterAll, beforeAll, expect, test } from "vitest";
import { etcdGateway } from "../../packages/manager/src/etcd/gateway.ts";
import { killAll, launch, READY } from "../journeys/capstan.ts";
import { findKubectls } from "../journeys/kubectls.ts";
import { eventually } from "./management.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/ha-cluster");
const env = createRealEnv();
const dataDir = mkdtempSync(join(tmpdir(), "capstan-etcd-"));

beforeAll(async () => {
  await launch(["up", "--port", "0", "--data-dir", dataDir, "--speed", "600"]).until(READY);
});
afterAll(() => {
  killAll();
  rmSync(dataDir, { recursive: true, force: true });
});

async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const [newest] = findKubectls();
  const flags = ["--kubeconfig", join(dataDir, kubeconfig), ...args];
  return (await promisify(execFile)(newest?.program ?? "kubectl", flags)).stdout;
}

/** An API server of `capstan up` as its administrator reaches it. */
function serverOf(kubeconfig: string) {
  const facts = parseKubeconfig(readFileSync(join(dataDir, kubeconfig), "utf8"));
  if (!facts) throw new Error(`${kubeconfig} is not a kubeconfig of capstan`);
  return { server: { baseUrl: facts.server, ca: facts.ca, ...facts.client }, headers: {} };
}

/** A file of the Secret with the authority of etcd. */
async function fileOfAuthority(key: string): Promise<string> {
  const jsonpath = `jsonpath={.data.tls\\.${key}}`;
  return Buffer.from(
    await kubectl("kubeconfig", "get", "secret", "bridge-etcd", "-o", jsonpath),
    "base64",
  ).toString();
}

test("a process with the administrator's kubeconfig and a client certificate asks a member of etcd", async () => {
  for (const file of ["cluster.yaml", "control-plane.yaml"])
    await kubectl("kubeconfig", "apply", "-f", join(EXAMPLE, file));
  const workload = "clusters/bridge/kubeconfig";
  let nodeName = "";
  await eventually(async () => {
    nodeName = await kubectl(workload, "get", "nodes", "-o", "jsonpath={.items[0].metadata.name}");
    expect(nodeName).toMatch(/^bridge-/);
  });
  const authority = { cert: await fileOfAuthority("crt"), key: await fileOfAuthority("key") };
  const client = await issueCertificate(env, authority, { type: "client", user: "test", groups: [] });
  const transport = createPortForwardTransport({
    apiServer: () => Promise.resolve(serverOf(workload)),
    target: { namespace: "kube-system", pod: `etcd-${nodeName}`, port: 2379 },
    tls: { ca: authority.cert, ...client, serverName: nodeName },
  });
  const members = await etcdGateway(transport, env).members();
  expect(members.map(({ name }) => name)).toContain(nodeName);
  await transport.close();
});
