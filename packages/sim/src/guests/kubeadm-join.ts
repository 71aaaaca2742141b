import { Node, Secret } from "@capstan/api";
import type { CloudConfig } from "./cloud-init.ts";
import { decideJoin, tokenSecretName, unreachable } from "./join.ts";
import type { JoinKind } from "./join-kind.ts";
import { type JoinRequest, readJoinCommand } from "./join-request.ts";
import { hasKubeadm, joinLeftovers, writeJoin } from "./os-disk.ts";

/** `kubeadm join` of a worker, from a command or from a script that a command runs. */
export const KUBEADM_JOIN: JoinKind<JoinRequest> = {
  command: "kubeadm join",
  recognize: (cloudConfig) => cloudConfig && requestIn(cloudConfig),
  attempt: async (request, { cluster, nodeName, disk, nowMs }) => {
    const { client, caCertHash } = cluster;
    const secret = await client.find(Secret, { namespace: "kube-system", name: tokenSecretName(request) });
    const node = await client.find(Node, { name: nodeName });
    const now = disk();
    const machine = now
      ? { hasKubeadm: hasKubeadm(now), leftovers: joinLeftovers(now) }
      : { hasKubeadm: false, leftovers: [] };
    return decideJoin({ request, nodeName, ...machine, caCertHash, secret, node, nowMs: nowMs() });
  },
  write: writeJoin,
  unreachable,
};

// The machines of a pool often share one cloud-config; parse its join configuration once.
const known = new WeakMap<CloudConfig, JoinRequest>();

function requestIn(cloudConfig: CloudConfig): JoinRequest | undefined {
  const before = known.get(cloudConfig);
  if (before) return before;
  const request = readRequest(cloudConfig);
  if (request) known.set(cloudConfig, request);
  return request;
}

/** Only kubeadm is simulated: other commands have no effect. */
function readRequest({ commands, files }: CloudConfig): JoinRequest | undefined {
  const scripts = files.filter(({ path }) => commands.some((command) => command.includes(path)));
  for (const text of [...commands, ...scripts.map(({ content }) => content)]) {
    const found = /\bkubeadm\s+join\s+([\s\S]*)/.exec(text);
    // A later file with the same path replaces an earlier one.
    if (found) {
      return readJoinCommand(found[1] ?? "", (path) => files.findLast((file) => file.path === path)?.content);
    }
  }
  return undefined;
}
