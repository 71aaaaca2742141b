/** The hooks of Cluster API's own runtime extensions, as its controllers send them. */

/** The API of the hooks, and of the discovery that all extensions answer. */
export const HOOKS_API = "hooks.runtime.cluster.x-k8s.io/v1alpha1";

/** The names of a machine and its objects, or of the templates of a set, in requests and answers. */
export interface PartNames {
  readonly machine: string;
  readonly infraMachine: string;
  readonly bootstrap: string;
}

/** A hook, and the name of our handler of it. */
export interface Hook {
  readonly hook: string;
  readonly handler: string;
}

/** A hook that asks a question, and where its objects have the fields that matter. */
export interface Question extends Hook {
  readonly parts: PartNames;
  /** The way from an object to the fields of a machine. */
  readonly fields: readonly string[];
}

/** Asked by a control plane about each machine. */
export const ABOUT_MACHINE: Question = {
  hook: "CanUpdateMachine",
  handler: "can-update",
  parts: { machine: "machine", infraMachine: "infrastructureMachine", bootstrap: "bootstrapConfig" },
  fields: ["spec"],
};

/** Asked by a MachineDeployment about each of its old MachineSets. */
export const ABOUT_SET: Question = {
  hook: "CanUpdateMachineSet",
  handler: "can-update-set",
  parts: {
    machine: "machineSet",
    infraMachine: "infrastructureMachineTemplate",
    bootstrap: "bootstrapConfigTemplate",
  },
  fields: ["spec", "template", "spec"],
};

/** The command: start the update, or say how far it is. */
export const UPDATE: Hook = { hook: "UpdateMachine", handler: "update" };

/** The path of a hook, below the address of the extension. */
export function hookPath(api: string, { hook, handler }: Hook): string {
  return `/${api}/${hook.toLowerCase()}/${handler}`;
}
