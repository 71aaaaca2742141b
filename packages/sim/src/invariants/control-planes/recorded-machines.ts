import { type Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import type { Invariant } from "../invariant.ts";

/** Until a creation is recorded, a crash leaves nothing that says that a request for it may be on its way. */
export const recordsBeforeCreation: Invariant = {
  name: "records-before-creation",
  says: "a machine of a control plane is created only after its name is in the status of the control plane",
  watch: (truth) => ({
    called: ({ by, server, isApply, resource, subresource, namespace = "", name }) => {
      const isMachine = server === "management" && resource === Machine.plural && subresource === undefined;
      if (by !== "kubeadmcontrolplane" || isApply !== true || !isMachine) return undefined;
      const { management } = truth;
      const machines = `${Machine.group}/${Machine.plural}`;
      if (management.get({ resource: machines, name, namespace })) return undefined;
      const owners = [
        ...management.list({ resource: `${KubeadmControlPlane.group}/${KubeadmControlPlane.plural}` }),
      ] as unknown as readonly Frozen<KubeadmControlPlane>[];
      const isRecorded = owners.some(({ status }) => status?.creatingMachine === name);
      return isRecorded ? undefined : `Machine ${name} is created before its name is recorded`;
    },
  }),
};
