import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { createHttpTransport, createRealEnv, type Transport } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runsAll } from "../sample.ts";
import { BASH_FLAGS } from "./bash.ts";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const EXAMPLES = join(REPOSITORY, "examples/scale-set");
const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/fleet`;
const LIMIT_MS = 100_000;

/** In a soak only: the gate has a smoke of the journey. */
const longTest = test.runIf(runsAll);

const root = mkdtempSync(join(tmpdir(), "capstan-guests-"));
const dataDir = join(root, "data");
const { clock } = createRealEnv();
let running: Running;
let printed: string;

beforeAll(async () => {
  const [kubectl] = findKubectls();
  mkdirSync(join(root, "bin"));
  symlinkSync(kubectl?.program ?? "", join(root, "bin/kubectl"));
  await up(60);
});
afterAll(() => {
  killAll();
  rmSync(root, { recursive: true, force: true });
});

/** Starts `capstan up` on the data directory, so many times as fast as the machine. */
async function up(speed: number): Promise<void> {
  running = launch(["up", "--port", "0", "--data-dir", dataDir, "--speed", String(speed)]);
  printed = await running.until(READY);
}

/** Runs a script as a user would who has kubectl, and whose capstan is in that directory. */
async function shell(script: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [join(root, "bin"), join(REPOSITORY, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    CAPSTAN_DATA_DIR: dataDir,
    HOME: root,
    TMPDIR: root,
  };
  const options = { cwd: REPOSITORY, env, timeout: LIMIT_MS };
  const args = [...BASH_FLAGS, "-euo", "pipefail", "-c", script];
  const { stdout, stderr } = await promisify(execFile)("bash", args, options);
  return stdout + stderr;
}

/** Another port after each start, so the kubeconfig that the page has saved leads nowhere later. */
const kubectl = (...args: string[]): Promise<string> =>
  shell(`capstan get kubeconfig fleet > ${root}/now && kubectl --kubeconfig ${root}/now ${args.join(" ")}`);

/** Asks until the answer is right, as somebody with kubectl would. */
async function eventually(ask: () => Promise<string>, pattern: RegExp): Promise<string> {
  const deadlineMs = clock.monotonic() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (pattern.test(answer)) return answer;
    if (clock.monotonic() > deadlineMs) throw new Error(`it never was ${pattern}: ${answer}`);
    await clock.sleep(100);
  }
}

/** Talks to ARM with a token of the simulated directory. */
class Arm {
  readonly #transport: Transport;
  #token = "";

  constructor(baseUrl: string) {
    const ca = readFileSync(join(dataDir, "serving/ca.crt"), "utf8");
    this.#transport = createHttpTransport({ baseUrl, ca });
  }

  static async connect(): Promise<Arm> {
    const arm = new Arm(/simulated Azure on (https:\S+):/.exec(printed)?.[1] ?? "");
    const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: "https://management.azure.com/.default",
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const path = `/${tenantId}/oauth2/v2.0/token`;
    const answer = await arm.#transport.request({ method: "POST", path, headers, body });
    arm.#token = ((await answer.json()) as { access_token: string }).access_token;
    return arm;
  }

  async send(method: string, path: string, body?: unknown): Promise<string> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const request = { method, path: `${GROUP}${path}?api-version=2024-07-01`, headers };
    const answer = await this.#transport.request({ ...request, ...(body !== undefined && { body }) });
    return `${answer.status} ${await answer.text()}`;
  }

  /** Makes a scale set of one machine, of the example's kind. */
  putPool(name: string, customData: string, image?: object): Promise<string> {
    const text = readFileSync(join(EXAMPLES, "scale-set.json"), "utf8");
    const body = JSON.parse(text) as {
      sku: { capacity: number };
      properties: {
        virtualMachineProfile: { osProfile: object; storageProfile: { imageReference: object } };
      };
    };
    const { virtualMachineProfile: profile } = body.properties;
    const encoded = Buffer.from(customData).toString("base64");
    profile.osProfile = { computerNamePrefix: name, adminUsername: "capi", customData: encoded };
    if (image) profile.storageProfile.imageReference = image;
    body.sku.capacity = 1;
    return this.send("PUT", `/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`, body);
  }
}

const EXPIRED_TOKEN = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "bootstrap-token-012345", namespace: "kube-system" },
  type: "bootstrap.kubernetes.io/token",
  stringData: {
    "token-id": "012345",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    expiration: "2020-01-01T00:00:00Z",
  },
};

describe("docs/guests.md", () => {
  test("has commands that lead from nothing to a drained node, as they stand there", async () => {
    const page = readFileSync(join(REPOSITORY, "docs/guests.md"), "utf8");
    const [start, ...blocks] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
    expect(start).toBe("npx capstan up --speed 60\n");
    const out = await shell(blocks.join("\n"));
    expect(out).toMatch(/^pool000002 +Ready +\S+ +\S+ +v1\.34\.1 +10\.1\.0\.\d+ /m);
    expect(out).toContain('deployment "web" successfully rolled out');
    expect(out).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(out).toContain("node/pool000000 drained");
    const pods = out.split("\n").filter((line) => /^web-\S+ +1\/1 +Running/.test(line));
    expect(pods).toHaveLength(4);
    expect(pods.filter((line) => line.includes("pool000000"))).toEqual([]);
  });
});

describe("capstan up", () => {
  const identities = "-o jsonpath='{range .items[*]}{.metadata.uid} {.status.nodeInfo.bootID}{\"\\n\"}{end}'";

  longTest(
    "goes on with guests after kill -9 in the middle of a boot: nodes stay, and new ones come",
    async () => {
      const before = await kubectl("get", "nodes", identities);
      // Slow enough that the machines are found between power on and their join.
      await capstan("sim", "clock", "speed", "10", "--data-dir", dataDir);
      await capstan("sim", "capacity", "fleet/pool", "5", "--data-dir", dataDir);
      const arm = await Arm.connect();
      const list = "/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines";
      await eventually(() => arm.send("GET", list), /("provisioningState":"Succeeded"[^]*){4}/);
      running.child.kill("SIGKILL");
      await running.ended;
      await up(60);
      expect(printed).toMatch(/^workload clusters: 1, guests: [45] \(3 ready, [12] booting\)$/m);
      await eventually(() => kubectl("get", "nodes"), /(^pool00000\d +Ready[^]*){5}/m);
      const after = await kubectl("get", "nodes", identities);
      expect(after.split("\n").slice(0, 3)).toEqual(before.split("\n").slice(0, 3));
      expect(await kubectl("get", "pods")).toMatch(/(1\/1 +Running[^]*){4}/);
    },
  );

  const joinData = readFileSync(join(EXAMPLES, "cloud-init.yaml"), "utf8").replace(
    /caCertHashes:\n.*/,
    "unsafeSkipCAVerification: true",
  );
  const withToken = (token: string): string => joinData.replace(/token: .*/, `token: ${token}`);

  const UBUNTU = {
    publisher: "Canonical",
    offer: "0001-com-ubuntu-server-jammy",
    sku: "22_04-lts-gen2",
    version: "latest",
  };

  test.each<[name: string, customData: string, image: object | undefined, reason: string, message: string]>([
    [
      "script",
      "#!/bin/sh\nkubeadm join\n",
      undefined,
      "NotCloudInit",
      'guests understand only "#cloud-config"',
    ],
    ["tokenless", withToken("fedcba.0123456789abcdef"), undefined, "TokenNotFound", "does not exist"],
    [
      "expired",
      withToken("012345.0123456789abcdef"),
      undefined,
      "TokenExpired",
      "expired at 2020-01-01T00:00:00Z",
    ],
    ["ubuntu", joinData, UBUNTU, "NoKubeadm", "kubeadm: command not found"],
  ])("says why a machine is no node: %s", async (name, customData, image, reason, message) => {
    writeFileSync(join(root, "expired.json"), JSON.stringify(EXPIRED_TOKEN));
    await kubectl("apply", "-f", join(root, "expired.json"));
    const arm = await Arm.connect();
    expect(await arm.putPool(name, customData, image)).toMatch(/^20[01] /);
    const said = await running.until(new RegExp(`^guest fleet/${name}/0: ${reason}: .*$`, "m"));
    expect(said).toContain(message);
    const events = `kubectl --kubeconfig ${join(dataDir, "kubeconfig")} get events`;
    expect(await eventually(() => shell(events), new RegExp(`virtualmachine/fleet-${name}-0`))).toContain(
      reason,
    );
    expect(await kubectl("get", "nodes")).not.toContain(name);
  });

  test("lets ARM refuse an image that does not exist", async () => {
    const arm = await Arm.connect();
    const image = { communityGalleryImageId: "/CommunityGalleries/nobody/Images/nothing/Versions/1.0.0" };
    expect(await arm.putPool("imageless", joinData, image)).toMatch(/^404 .*nothing/);
  });

  test("takes the workload cluster away with its Cluster", async () => {
    const management = `kubectl --kubeconfig ${join(dataDir, "kubeconfig")}`;
    await shell(`${management} delete cluster fleet`);
    const status = async (): Promise<string> => (await capstan("status", "--data-dir", dataDir)).out;
    await eventually(status, /^management +\S+ +\d+ +True\n$/m);
    expect((await capstan("get", "kubeconfig", "fleet", "--data-dir", dataDir)).err).toContain(
      "existing: management",
    );
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, err: "" });
  });
});
