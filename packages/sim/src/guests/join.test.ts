import { type Frozen, type Node, type Secret } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { decideJoin, type JoinFacts } from "./join.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

function secretWith(fields: Record<string, string>, type = "bootstrap.kubernetes.io/token"): Frozen<Secret> {
  const all = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    ...fields,
  };
  const data = Object.entries(all).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  const metadata = { name: "bootstrap-token-abcdef", namespace: "kube-system" };
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: Object.fromEntries(data) as never };
}

function nodeWith(status: "True" | "False" | "Unknown"): Frozen<Node> {
  const conditions = [{ type: "Ready", status }];
  return { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { conditions } };
}

const GOOD: JoinFacts = {
  request: {
    endpoint: "a:6443",
    token: { id: "abcdef", secret: "0123456789abcdef" },
    caCertHashes: [],
    isControlPlane: false,
    taints: [],
    labels: {},
    kubeletArgs: {},
  },
  nodeName: "n",
  hasKubeadm: true,
  leftovers: [],
  caCertHash: undefined,
  secret: secretWith({}),
  node: undefined,
  nowMs: NOW_MS,
};

const pinning = (hash: string): JoinFacts["request"] => ({ ...GOOD.request, caCertHashes: [hash] });

describe("a machine may join", () => {
  test.each<[string, Partial<JoinFacts>]>([
    ["with a token that never expires", {}],
    ["until its token expires", { secret: secretWith({ expiration: "2026-01-01T00:00:01Z" }) }],
    ["from a cluster whose authority it pins", { caCertHash: "sha256:0a", request: pinning("sha256:0A") }],
    ["from any cluster when it pins no authority", { caCertHash: "sha256:0a" }],
    ["when the Node of its name is not Ready", { node: nodeWith("False") }],
    ["when the Node of its name is silent", { node: nodeWith("Unknown") }],
  ])("%s", (_, facts) => {
    expect(decideJoin({ ...GOOD, ...facts })).toEqual({ verdict: "joined" });
  });
});

describe("a machine may not join", () => {
  test.each<[string, Partial<JoinFacts>, string, string]>([
    ["without kubeadm", { hasKubeadm: false }, "NoKubeadm", "command not found"],
    [
      "from a disk that has joined before",
      { leftovers: ["/etc/kubernetes/kubelet.conf"] },
      "Preflight",
      "[ERROR FileAvailable--etc-kubernetes-kubelet.conf]",
    ],
    ["without a token", { secret: undefined }, "TokenNotFound", "kube-system/bootstrap-token-abcdef"],
    ["by another type of Secret", { secret: secretWith({}, "Opaque") }, "TokenInvalid", '"Opaque"'],
    ["by another id", { secret: secretWith({ "token-id": "fedcba" }) }, "TokenInvalid", '"fedcba"'],
    ["by another secret", { secret: secretWith({ "token-secret": "x" }) }, "TokenInvalid", "token-secret"],
    [
      "by a token for signing only",
      { secret: secretWith({ "usage-bootstrap-authentication": "false" }) },
      "TokenNotForAuthentication",
      "usage-bootstrap-authentication",
    ],
    [
      "at the moment its token expires",
      { secret: secretWith({ expiration: "2026-01-01T00:00:00Z" }) },
      "TokenExpired",
      "expired at 2026-01-01T00:00:00Z",
    ],
    [
      "from a cluster whose authority is another than it pins",
      { caCertHash: "sha256:0a", request: pinning("sha256:0b") },
      "AuthorityNotPinned",
      "has the public key sha256:0a, and caCertHashes has sha256:0b",
    ],
    ["by an unreadable expiry", { secret: secretWith({ expiration: "soon" }) }, "TokenExpired", '"soon"'],
  ])("%s", (_, facts, reason, message) => {
    expect(decideJoin({ ...GOOD, ...facts })).toEqual({
      verdict: "failed",
      failure: { reason, message: expect.stringContaining(message) as string },
    });
  });

  test("while a Ready Node has its name", () => {
    expect(decideJoin({ ...GOOD, node: nodeWith("True") })).toMatchObject({
      verdict: "refused",
      failure: { reason: "NodeExists" },
    });
  });
});
