import { Node, Secret } from "@capstan/api";
import { EtcdRefusal } from "../etcd/membership.ts";
import type { CloudConfig } from "./cloud-init.ts";
import type { ControlPlaneSeat } from "./control-plane-seat.ts";
import { decideJoin, type JoinVerdict, tokenSecretName, unreachable } from "./join.ts";
import type { JoinKind } from "./join-kind.ts";
import { type JoinRequest, readJoinCommand } from "./join-request.ts";
import { controlPlaneLeftovers, type GuestDisk, hasKubeadm, joinLeftovers, writeJoin } from "./os-disk.ts";

/** `kubeadm join` of a worker or a control plane, from a command or from a script that a command runs. */
export const KUBEADM_JOIN: JoinKind<JoinRequest> = {
  command: "kubeadm join",
  recognize: (cloudConfig) => cloudConfig && requestIn(cloudConfig),
  attempt: async (request, { cluster, nodeName, disk, nowMs, seat }) => {
    const { client, caCertHash } = cluster();
    const secret = await client.find(Secret, { namespace: "kube-system", name: tokenSecretName(request) });
    const node = await client.find(Node, { name: nodeName });
    const now = disk();
    const machine = now
      ? { hasKubeadm: hasKubeadm(now), leftovers: leftoversOn(now, request) }
      : { hasKubeadm: false, leftovers: [] };
    const verdict = decideJoin({ request, nodeName, ...machine, caCertHash, secret, node, nowMs: nowMs() });
    return request.isControlPlane && verdict.verdict === "joined" ? joinEtcd(seat()) : verdict;
  },
  write: writeJoin,
  unreachable,
};

function leftoversOn(disk: GuestDisk, { isControlPlane }: JoinRequest): readonly string[] {
  return isControlPlane ? controlPlaneLeftovers(disk) : joinLeftovers(disk);
}

// Each step of etcd-join takes seconds: adding a learner, starting it, and promoting it when it has caught up.
const ETCD_STEP_MS = 6_000;

/** The phase etcd-join of kubeadm: the machine is a voter of etcd before its API server and its kubelet work. */
function joinEtcd({ etcd, host }: ControlPlaneSeat): JoinVerdict {
  try {
    return etcd.joinStep(host) ? { verdict: "joined" } : { verdict: "inProgress", forMs: ETCD_STEP_MS };
  } catch (error) {
    if (!(error instanceof EtcdRefusal)) throw error;
    const message = `error execution phase control-plane-join/etcd: ${error.message}`;
    return { verdict: "failed", failure: { reason: "EtcdJoin", message } };
  }
}

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
