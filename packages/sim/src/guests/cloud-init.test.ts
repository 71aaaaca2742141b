import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Machine } from "@capstan/azure-sim";
import type { GuestFile } from "./cloud-init.ts";
import { JOIN_DATA } from "./guests.fixture.ts";
import { type Provisioning, provisioningOf } from "./join-kinds.ts";
import type { JoinRequest } from "./join-request.ts";

const MACHINE: Machine = {
  id: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/1",
  vmId: "vm-1",
  starts: 1,
  computerName: "pool000001",
  size: "Standard_D4s_v3",
  location: "westus2",
  power: "running",
  privateAddresses: [],
};
const TOKEN = "abcdef.0123456789abcdef";
const JOIN = `kubeadm join 10.0.0.4:6443 --token ${TOKEN} --discovery-token-ca-cert-hash sha256:aa`;

function provisioned(customData: string | undefined): Provisioning {
  return provisioningOf({ ...MACHINE, ...(customData !== undefined && { customData }) });
}

function understood(customData: string): { files: readonly GuestFile[]; join: JoinRequest } {
  const provisioning = provisioned(customData);
  if ("failure" in provisioning) throw new Error(provisioning.failure.message);
  const { files, join } = provisioning;
  return { files, join: join.request as JoinRequest };
}

function base64(text: string | Buffer): string {
  return Buffer.from(text).toString("base64");
}

function config(runcmd: string, files = "[]"): string {
  return `#cloud-config\nwrite_files: ${files}\nruncmd: ${runcmd}\n`;
}

function withJoinFile(content: string): string {
  const file = JSON.stringify([{ path: "/j.yaml", content }]);
  return config("[kubeadm join --config /j.yaml]", file);
}

describe("valid custom data", () => {
  test.each([
    ["text", JOIN_DATA],
    ["base64", base64(JOIN_DATA)],
    ["packed base64", base64(gzipSync(JOIN_DATA))],
  ])("as %s gives the files and the join", (_, customData) => {
    const { files, join } = understood(customData);
    expect(files.map(({ path }) => path)).toEqual(["/run/kubeadm/kubeadm-join-config.yaml"]);
    expect(files[0]?.content).toContain("name: 'pool000001'");
    expect(join).toMatchObject({
      endpoint: "apiserver.example.com:6443",
      token: { id: "abcdef", secret: "0123456789abcdef" },
      nodeName: "pool000001",
      labels: { pool: "blue" },
      taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }],
      kubeletArgs: { "cloud-provider": "external" },
    });
    expect(join.caCertHashes).toHaveLength(1);
  });

  test.each([
    ["a command", config(`["${JOIN} --node-name=Blue-1 && reboot"]`)],
    ["a command as a list", config(JSON.stringify([[...JOIN.split(" "), "--node-name", "blue-1"]]))],
    [
      "a script that a command runs",
      config(
        "[/join.sh]",
        JSON.stringify([{ path: "/join.sh", content: `${JOIN} \\\n --node-name blue-1` }]),
      ),
    ],
  ])("joins by %s with flags", (_, customData) => {
    const { join } = understood(customData);
    expect(join).toMatchObject({
      endpoint: "10.0.0.4:6443",
      token: { id: "abcdef" },
      caCertHashes: ["sha256:aa"],
      nodeName: "blue-1",
    });
  });

  test("takes kubelet arguments as a list too", () => {
    const join = {
      kind: "JoinConfiguration",
      discovery: {
        bootstrapToken: { apiServerEndpoint: "a:1", token: TOKEN, unsafeSkipCAVerification: true },
      },
      nodeRegistration: { kubeletExtraArgs: [{ name: "node-labels", value: "a=b,c=d" }] },
    };
    expect(understood(withJoinFile(JSON.stringify(join))).join.labels).toEqual({ a: "b", c: "d" });
  });

  test.each([
    ["b64", base64("hello")],
    ["base64", base64("hello")],
    ["gz+b64", base64(gzipSync("hello"))],
    ["gzip+base64", base64(gzipSync("hello"))],
  ])("unpacks files of encoding %s", (encoding, content) => {
    const file = JSON.stringify([{ path: "/f", content, encoding }]);
    expect(understood(config(`["${JOIN}"]`, file)).files).toEqual([{ path: "/f", content: "hello" }]);
  });
});

describe("invalid custom data", () => {
  const discovery = (bootstrapToken: object): string =>
    withJoinFile(JSON.stringify({ kind: "JoinConfiguration", discovery: { bootstrapToken } }));
  test.each([
    ["nothing", undefined, "NoCustomData", "empty"],
    ["a space", " ", "NoCustomData", "empty"],
    ["other text", "hello, world", "NotCloudInit", '"hello, world"'],
    ["a script", "#!/bin/sh\n", "NotCloudInit", '"#!/bin/sh"'],
    ["base64 of something else", base64("MIME-Version: 1.0"), "NotCloudInit", "MIME-Version"],
    ["broken gzip", base64(Buffer.from([0x1f, 0x8b, 1, 2])), "NotCloudInit", "unpacked"],
    ["bad YAML", "#cloud-config\na: [", "BadCloudConfig", "line"],
    ["a list", "#cloud-config\n- a", "BadCloudConfig", "map"],
    ["commands that are no list", "#cloud-config\nruncmd: reboot", "BadCloudConfig", 'runcmd: "reboot"'],
    ["a command that is a number", config("[7]"), "BadCloudConfig", "runcmd[0]: 7"],
    ["a file without a path", config("[]", "[{content: a}]"), "BadCloudConfig", "write_files[0].path"],
    ["an unknown encoding", config("[]", "[{path: /f, encoding: rot13}]"), "BadCloudConfig", '"rot13"'],
    ["an unknown expression", "## template: jinja\n#cloud-config\n# {{ v1.moon }}", "BadTemplate", "v1.moon"],
    ["a statement", "## template: jinja\n#cloud-config\n# {% if a %}", "BadTemplate", "{%"],
    ["no join", config("[reboot]"), "NoJoin", "kubeadm join"],
    [
      "an init without a file",
      config("[kubeadm init]"),
      "BadInitConfiguration",
      "kubeadm init without --config",
    ],
    ["a missing file", config("[kubeadm join --config /no]"), "BadJoinConfiguration", '"/no"'],
    ["another kind", withJoinFile("kind: InitConfiguration"), "BadJoinConfiguration", "/j.yaml"],
    [
      "discovery by file",
      withJoinFile("{kind: JoinConfiguration, discovery: {file: {}}}"),
      "UnsupportedDiscovery",
      "has file",
    ],
    ["no endpoint", discovery({ token: TOKEN }), "BadJoinConfiguration", "apiServerEndpoint: nothing"],
    ["a bad token", discovery({ apiServerEndpoint: "a:1", token: "x" }), "BadJoinConfiguration", "token"],
    [
      "no hash",
      discovery({ apiServerEndpoint: "a:1", token: TOKEN }),
      "BadJoinConfiguration",
      "caCertHashes",
    ],
  ])("%s fails with a reason and a fix", (_, customData, reason, message) => {
    expect(provisioned(customData)).toEqual({
      failure: { reason, message: expect.stringContaining(message) as string },
    });
  });

  test("does not throw, for any text", () => {
    const pieces = fc.constantFrom(
      "## template: jinja\n",
      "#cloud-config\n",
      "write_files:\n",
      "- path: /f\n",
      "  content: {{ v1.region }}\n",
      "runcmd:\n",
      "- kubeadm join --config /f\n",
      "- [kubeadm, join, --token",
    );
    const text = fc.array(fc.oneof(pieces, fc.string())).map((parts) => parts.join(""));
    fc.assert(fc.property(text, (customData) => void provisioned(customData)));
  });
});

test("custom data may be as long as Azure's limit", () => {
  const filler = `- path: /etc/filler\n  content: |\n${`    ${"x".repeat(70)}\n`.repeat(700)}`;
  const text = `#cloud-config\nwrite_files:\n${filler}runcmd:\n- kubeadm join a:1 --token abcdef.0123456789abcdef --discovery-token-unsafe-skip-ca-verification\n`;
  expect(text.length).toBeGreaterThan(50_000);
  const data = Buffer.from(text).toString("base64");
  expect(provisioned(data)).toHaveProperty("join");
});
