/** The hooks of Cluster API's own runtime extensions, as its controllers send them. */

/** The API of the hooks, and of the discovery that all extensions answer. */
export const HOOKS_API = "hooks.runtime.cluster.x-k8s.io/v1alpha1";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The names of a machine and its objects, or of the templates of a set, in requests and answers. */
export interface PartNames {
  readonly machine: string;
  readonly infraMachine: string;
  readonly bootstrap: string;
}

/** One of the two questions: the hook that asks it, and where its objects have the fields that matter. */
export interface Question {
  readonly hook: "CanUpdateMachine" | "CanUpdateMachineSet";
  /** The name of our handler. */
  readonly handler: string;
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
export const UPDATE = { hook: "UpdateMachine", handler: "update" } as const;

/** The path of a hook, below the address of the extension. */
export function hookPath({ hook, handler }: { readonly hook: string; readonly handler: string }): string {
  return `/${HOOKS_API}/${hook.toLowerCase()}/${handler}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
