import { ConfigMap, isJsonObject, parseYaml, YamlError } from "@capstan/api";
import { type Client, createIfMissing } from "@capstan/runtime";
import type { CloudConfig, GuestFile } from "./cloud-init.ts";
import { GuestFault } from "./failure.ts";
import { controlPlaneTaints, CONTROL_PLANE_LABELS, registrationIn } from "./join-request.ts";
import type { JoinKind, JoinTarget } from "./join-kind.ts";
import { hasKubeadm, type JoinFiles, writeJoin } from "./os-disk.ts";

/** The parameters of `kubeadm init`. */
export interface InitRequest extends JoinTarget, JoinFiles {
  readonly isControlPlane: true;
  /** The ClusterConfiguration document, which kubeadm publishes. */
  readonly clusterConfiguration: string;
  /** The certificate authority on the disk, in PEM. */
  readonly authority: string;
  /** etcd runs elsewhere. */
  readonly isEtcdExternal: boolean;
}

// kubeadm waits for etcd and the API server that it has just started: 15 to 45 s for the whole of init.
const START_MS = 20_000;
const KUBEADM_CONFIG = { namespace: "kube-system", name: "kubeadm-config" };
const DEFAULT_CERTIFICATES = "/etc/kubernetes/pki";

/** `kubeadm init`: starts a control plane with certificates that are on the disk already. */
export const KUBEADM_INIT: JoinKind<InitRequest> = {
  command: "kubeadm init",
  recognize: (cloudConfig) => cloudConfig && requestIn(cloudConfig),
  attempt: async (
    { authority, clusterConfiguration, isEtcdExternal: isExternal },
    { cluster, seat: seatNow, disk },
  ) => {
    const now = disk();
    if (!now || !hasKubeadm(now))
      return {
        verdict: "failed",
        failure: { reason: "NoKubeadm", message: "kubeadm: command not found, or not a program" },
      };
    const seat = seatNow();
    if (!seat.etcd.hasData(seat.host)) {
      seat.etcd.bootstrap(seat.host, { isExternal });
      return { verdict: "inProgress", forMs: START_MS };
    }
    await seat.initialize({ origin: seat.host.machineId, authority });
    // This ConfigMap shows that init has succeeded, so it comes last.
    await publishConfiguration(cluster().client, clusterConfiguration);
    return { verdict: "joined" };
  },
  write: writeJoin,
  unreachable: ({ endpoint }, why) => ({
    reason: "ApiServerUnreachable",
    message: `error execution phase wait-control-plane: https://${endpoint} does not answer, asking again every 5 s: ${why}`,
  }),
};

async function publishConfiguration(client: Client, text: string): Promise<void> {
  await createIfMissing(client, ConfigMap, {
    metadata: KUBEADM_CONFIG,
    data: { ClusterConfiguration: text },
  });
}

function requestIn({ commands, files }: CloudConfig): InitRequest | undefined {
  const command = commands.find((one) => /\bkubeadm\s+init\b/.test(one));
  if (command === undefined) return undefined;
  const path = /--config[= ](\S+)/.exec(command)?.[1];
  if (path === undefined) throw invalid("kubeadm init without --config is not simulated");
  const documents = documentsIn(contentOf(files, path), path);
  const cluster = documents.find(({ kind }) => kind === "ClusterConfiguration");
  if (!cluster) throw invalid(`no ClusterConfiguration found in config file "${path}"`);
  const init = documents.find(({ kind }) => kind === "InitConfiguration");
  const { certificatesDir = DEFAULT_CERTIFICATES } = cluster.value;
  const { taints, labels, nodeName } = registrationIn(init?.value ?? {});
  return {
    isControlPlane: true,
    endpoint: endpointIn(cluster.value["controlPlaneEndpoint"]),
    ...(nodeName !== undefined && { nodeName }),
    clusterConfiguration: cluster.text,
    isEtcdExternal: usesExternalEtcd(cluster.value),
    authority: contentOf(files, `${String(certificatesDir)}/ca.crt`),
    taints: taints ?? controlPlaneTaints(),
    labels: { ...labels, ...CONTROL_PLANE_LABELS },
  };
}

function usesExternalEtcd({ etcd }: Document["value"]): boolean {
  return isJsonObject(etcd) && isJsonObject(etcd["external"]);
}

function endpointIn(given: unknown): string {
  if (typeof given === "string" && /^[^\s/]+:\d+$/.test(given)) return given;
  throw invalid(`controlPlaneEndpoint: ${JSON.stringify(given)}: must be HOST:PORT`);
}

interface Document {
  readonly kind: unknown;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function documentsIn(text: string, path: string): readonly Document[] {
  return text.split(/^---\s*$/m).flatMap((part) => {
    if (part.trim() === "") return [];
    try {
      const value = parseYaml(part);
      return isJsonObject(value) ? [{ kind: value["kind"], text: part.trimStart(), value }] : [];
    } catch (error) {
      if (error instanceof YamlError) throw invalid(`${path} ${error.message}`);
      throw error;
    }
  });
}

/** A later file with the same path replaces an earlier one. */
function contentOf(files: readonly GuestFile[], path: string): string {
  const file = files.findLast((one) => one.path === path);
  if (!file) throw invalid(`unable to read "${path}": no such file`);
  return file.content;
}

function invalid(message: string): GuestFault {
  return new GuestFault("BadInitConfiguration", message);
}
