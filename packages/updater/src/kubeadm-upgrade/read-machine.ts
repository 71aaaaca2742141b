import type { Transport } from "@capstan/env";
import type { KubeadmUpgradePorts } from "./kubeadm-upgrade.ts";

/** Reads Machines from a Kubernetes API; the updater needs no other right than to get them. */
export function machineReader(kube: Transport): KubeadmUpgradePorts["readMachine"] {
  return async (namespace, name) => {
    const path = `/apis/cluster.x-k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/machines/${encodeURIComponent(name)}`;
    const response = await kube.request({ method: "GET", path, headers: { accept: "application/json" } });
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw new Error(`GET ${path}: the server answered ${response.status}`);
    const { spec = {}, status = {} } = (await response.json()) as MachineFields;
    return {
      providerID: spec.providerID,
      version: spec.version,
      kubeletVersion: status.nodeInfo?.kubeletVersion,
    };
  };
}

interface MachineFields {
  readonly spec?: { readonly providerID?: string; readonly version?: string };
  readonly status?: { readonly nodeInfo?: { readonly kubeletVersion?: string } };
}
