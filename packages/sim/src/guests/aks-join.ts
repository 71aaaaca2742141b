import { isJsonObject, type Taint } from "@capstan/api";
import type { CloudConfig } from "./cloud-init.ts";
import { GuestFault } from "./failure.ts";
import { unreachable } from "./join.ts";
import type { JoinKind } from "./join-kind.ts";
import type { JoinRequest } from "./join-request.ts";
import { writeJoin } from "./os-disk.ts";

const NODE_FILE = "/opt/azure/node.json";

/** How AKS provisions a node: the node trusts its cluster and the cluster its node, without kubeadm and without a token. */
export const AKS_JOIN: JoinKind<JoinRequest> = {
  command: "/opt/azure/containers/provision.sh",
  recognize: (cloudConfig) => cloudConfig && requestIn(cloudConfig),
  // AKS re-images nodes under their names, so a Node of an earlier boot is no obstacle.
  attempt: () => Promise.resolve({ verdict: "joined" }),
  write: writeJoin,
  unreachable,
};

function requestIn({ commands, files }: CloudConfig): JoinRequest | undefined {
  if (!commands.some((command) => command.includes(AKS_JOIN.command))) return undefined;
  const text = files.find(({ path }) => path === NODE_FILE)?.content ?? "";
  const node: unknown = JSON.parse(text);
  if (!isJsonObject(node) || typeof node["endpoint"] !== "string")
    throw new GuestFault("BadCloudConfig", `${NODE_FILE} names no endpoint`);
  const { labels, taints } = node;
  return {
    endpoint: node["endpoint"],
    token: { id: "", secret: "" },
    caCertHashes: [],
    isControlPlane: false,
    kubeletArgs: {},
    labels: (isJsonObject(labels) ? labels : {}) as Record<string, string>,
    taints: Array.isArray(taints) ? taints.map((taint) => taintIn(String(taint))) : [],
  };
}

/** A taint in AKS's form, `key=value:effect`. */
function taintIn(text: string): Taint {
  const [, key = "", value = "", effect = "NoSchedule"] = /^([^=:]+)(?:=([^:]*))?:(.+)$/.exec(text) ?? [];
  return { key, effect, ...(value !== "" && { value }) };
}
