import type {
  ContractReference,
  Frozen,
  Kind,
  KubernetesObject,
  Machine,
  MachineTemplateSpec,
} from "@capstan/api";
import type { ContestedFields, Context } from "@capstan/runtime";
import type { ContractObject } from "../contract/contract-object.ts";

/** Labels or annotations. */
export type Texts = Readonly<Record<string, string>>;

/** Labels and annotations that an owner gives to its machines and their clones. */
export interface PropagatedMetadata {
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** A template, and the field of the owner that refers to it. */
export interface TemplateReference {
  readonly reference: Frozen<ContractReference>;
  readonly field: string;
}

/** Where the bootstrap data of new machines comes from. */
export type BootstrapSource =
  | ({ readonly from: "template" } & TemplateReference)
  | { readonly from: "secret"; readonly name: string | undefined }
  | {
      readonly from: "owner";
      readonly kind: Kind;
      readonly config: (machine: Frozen<Machine>, existing?: Frozen<ContractObject>) => ConfigObject;
    };

/** A bootstrap config that an owner creates without a template. */
type ConfigObject = KubernetesObject & { readonly spec: unknown };

/** Fields of a template that existing machines follow, because they need no new machine. */
type FollowedFields = Pick<
  Frozen<MachineTemplateSpec>,
  "readinessGates" | "taints" | "deletion" | "minReadySeconds"
>;

/** What the owners of machines do differently: MachineSets and control planes. All else is the same code. */
export interface MachineOwner {
  /** The object that controls the machines. */
  readonly object: Frozen<KubernetesObject>;
  readonly clusterName: string;
  /** The field manager that the owner has in Cluster API: after a take-over, the fields keep their owner. */
  readonly fieldManager: string;
  /** The labels of machines and clones that say whose they are; the same as long as the owner is the same. */
  readonly membership: Texts;
  /** The labels and annotations of the template, which users change; without those of the membership. */
  readonly metadata: PropagatedMetadata;
  /** Annotations of a Machine that its clones do not have; undefined stands for a new Machine. */
  readonly machineAnnotations: (machine: Frozen<Machine> | undefined) => Texts;
  readonly followed: FollowedFields;
  readonly version: string | undefined;
  /** The failure domain of new machines, unless the plan chooses one. */
  readonly failureDomain: string | undefined;
  readonly naming: { readonly template: string; readonly values: Texts };
  readonly infrastructure: TemplateReference;
  readonly bootstrap: BootstrapSource;
  /** Changes the clone of the infrastructure template for a new machine. */
  readonly adjustClone?: (
    clone: KubernetesObject,
    template: Frozen<ContractObject>,
    version: string | undefined,
  ) => KubernetesObject;
}

/** The part of a pass over an owner that works on its machines. */
export interface OwnerScope {
  readonly context: Pick<Context<KubernetesObject>, "cache" | "client" | "env" | "event" | "watch">;
  readonly owner: MachineOwner;
  /** What other clients keep changing back, shared by all passes of the controller. */
  readonly contested: ContestedFields;
  /** The machines of the owner in the cache. */
  readonly machines: readonly Frozen<Machine>[];
}
