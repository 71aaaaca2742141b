import type {
  Condition,
  Frozen,
  Kind,
  KubernetesObject,
  MachinePool,
  NodePrototypingStatus,
} from "@capstan/api";
import type { Candidate, HistoryEntry, NewMachine } from "@capstan/plan";

/** A pool or a template: the object in whose status the renewals of an image are recorded. */
export interface ImageOwner extends KubernetesObject {
  status?: {
    nodePrototyping?: NodePrototypingStatus;
    lastImagePrototype?: string;
    conditions?: Condition[];
  };
}

/** The facts about a machine that its own objects tell; its Node tells the rest. */
type MachineFacts = Omit<Candidate, "isCordoned" | "hasNode" | "pressure" | "hasFailedAsDonor">;

/** A machine that may be a donor. */
export interface FleetMachine {
  /** The object that carries the annotations of a donor, and that is deleted if the donor does not come back. */
  readonly object: Frozen<KubernetesObject>;
  readonly kind: Kind;
  readonly providerID: string;
  readonly nodeRef: { readonly name?: string; readonly uid?: string } | undefined;
  /** The last part of its ARM id. */
  readonly instanceID: string;
  readonly facts: MachineFacts;
}

/** Why machines must not be disturbed now. */
export interface FleetChange {
  readonly reason: string;
  readonly why: string;
}

/** The machines of an owner. Pools and templates differ in this alone. */
export interface Fleet {
  /** The number of machines that users ask for. */
  readonly desired: number;
  /** The field that changes this number, for messages. */
  readonly sizeField: string;
  /** The Kubernetes version of new machines. */
  readonly version: string | undefined;
  /** The size of the machines. */
  readonly vmSize: string;
  /** The image in the spec. */
  readonly baseImage: NonNullable<Frozen<NodePrototypingStatus>["baseImage"]>;
  /** Where the bootstrap data of a further machine is; undefined when there is none that machines share. */
  readonly bootstrap: Frozen<MachinePool>["spec"]["template"]["spec"]["bootstrap"] | undefined;
  /** Whether machines exist in Azure, so that images of them may exist too. */
  readonly hasMachines: boolean;
  readonly machines: () => readonly FleetMachine[];
  /** Why the machines must not be disturbed now, by what other controllers have reported. */
  readonly changing: () => FleetChange | undefined;
  /** Whether new machines boot from this image definition. */
  readonly bootsFrom: (definitionID: string) => boolean;
  /** Whether machines may still be created from any image definition of ours. */
  readonly mayBootFromPrototype: () => boolean;
  /** What became of machines around the promotion of a version. */
  readonly newMachines: (active: HistoryEntry) => readonly NewMachine[];
  /** Writes the definition into the spec, once; returns whether that is written. The spec of a template cannot change. */
  readonly writeToSpec: (definitionID: string) => Promise<boolean>;
  /** Writes the image of the user back into the spec; returns whether it is there. */
  readonly restoreSpec: () => Promise<boolean>;
  /** Replaces the machines that are older than a promotion; returns whether that is written, so that the renewal may end. */
  readonly rollSince: (promotedAt: string) => Promise<boolean>;
}
