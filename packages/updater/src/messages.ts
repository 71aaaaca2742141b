/** The messages between Capstan and an updater. */

/** The path of a field of a machine, its bootstrap config or its infrastructure machine. */
export type FieldPath = `machine.spec.${string}` | `bootstrap.spec.${string}` | `infraMachine.spec.${string}`;

/** A Kubernetes object as far as an updater gets to see it: no status, no owners. */
export interface UpdatedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** Asks which of the changes the updater can make. */
export interface CanUpdateRequest {
  readonly changes: readonly FieldPath[];
  readonly currentMachine: UpdatedObject;
  readonly desiredMachine: UpdatedObject;
  readonly currentInfraMachine: UpdatedObject;
  readonly desiredInfraMachine: UpdatedObject;
  /** Absent if the machine has bootstrap data, but no bootstrap config. */
  readonly currentBootstrapConfig?: UpdatedObject;
  readonly desiredBootstrapConfig?: UpdatedObject;
  /** The settings of the ExtensionConfig. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The changes that an updater makes, and what users and Capstan should know about them. */
export interface CanUpdateResult {
  /** Of the changes in the request. */
  readonly acceptedChanges: readonly FieldPath[];
  /** Why it refuses the others; shown to users. */
  readonly message?: string;
  /** The Node must be drained before `update` is called: the machine restarts. */
  readonly needsDrain?: boolean;
  /** False if the machine stays available during the update. Cluster API counts it from 1.15; Capstan records and shows it. */
  readonly affectsAvailability?: boolean;
}

/** Asks to update a machine, or how far the update is. */
export interface UpdateRequest {
  readonly machine: { readonly name: string; readonly namespace: string };
  /** The settings of the ExtensionConfig. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How far the update of a machine is. */
export type UpdateResult =
  | { readonly status: "Done" }
  | { readonly status: "InProgress"; readonly tryAgain: string; readonly message?: string }
  | { readonly status: "Error"; readonly error: string };

/** The machine is as its spec says. */
export function done(): UpdateResult {
  return { status: "Done" };
}

/** The update goes on; Capstan asks again after so many seconds. The message is shown to users. */
export function inProgress(tryAgainSeconds: number, message?: string): UpdateResult {
  const tryAgain = `${Math.max(1, Math.ceil(tryAgainSeconds))}s`;
  return { status: "InProgress", tryAgain, ...(message !== undefined && { message }) };
}

/** The update cannot succeed without help: a user changes the template, asks for a retry, or deletes the machine. */
export function failed(error: string): UpdateResult {
  return { status: "Error", error };
}

/** Whether a path is one of the given fields, or below one of them. */
export function isBelow(path: FieldPath, ...fields: readonly FieldPath[]): boolean {
  return fields.some((field) => path === field || path.startsWith(`${field}.`));
}

/** An answer in its long form. */
export function resultOf(answer: readonly FieldPath[] | CanUpdateResult): CanUpdateResult {
  return "acceptedChanges" in answer ? answer : { acceptedChanges: answer };
}
