import type { Invariant } from "../invariant.ts";

const IDENTITIES = [
  "/etc/machine-id",
  "/etc/ssh/ssh_host_ed25519_key",
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
  "/etc/kubernetes/kubelet.conf",
];

/** I8. */
export const sharesNoIdentity: Invariant = {
  name: "shares-no-identity",
  says: "two nodes never share machine id, SSH host key, kubelet key or name",
  watch: (truth) => {
    const check = (): string | undefined => {
      const owners = new Map<string, string>();
      const { core } = truth.azure;
      for (const { machineId } of core.world.machines.records()) {
        // Only what has become a Node counts: a copy that has not booted yet still has the donor's files.
        const node = truth.node(machineId)?.node;
        const disk = node && core.disk(machineId);
        for (const path of disk ? IDENTITIES : []) {
          const key = `${path} ${disk?.read(path) ?? machineId}`;
          const other = owners.get(key);
          if (other !== undefined) return `${machineId} and ${other} have the same ${path}`;
          owners.set(key, machineId);
        }
      }
      return undefined;
    };
    return {
      happened: ({ happening }) =>
        happening.kind === "node" && happening.event === "ready" ? check() : undefined,
      atRest: check,
    };
  },
};
