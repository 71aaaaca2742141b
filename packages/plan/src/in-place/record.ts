/**
 * The updates in place that an owner of machines has started, as it records them on itself. Whoever may write a Machine can
 * write everything that an update consists of; only the record of its owner makes updaters run.
 */
import {
  type Frozen,
  isUpdatingInPlace,
  type KubernetesObject,
  type Machine,
  STARTED_UPDATES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";

/** One started update. It names no UID: `clusterctl move` gives all objects new ones. */
export interface UpdateRecord {
  /** The updaters that run, in this order. */
  readonly updaters: readonly string[];
  /** The version that the machine gets; null if it has none. */
  readonly version: string | null;
  /** The value of the sign on the machine: a control plane writes the hash of its desired state there. */
  readonly key: string;
  /** Whether the Node is drained before the first updater is called. */
  readonly needsDrain?: boolean;
}

/** Started updates, by the names of the machines. */
export type UpdateRecords = ReadonlyMap<string, UpdateRecord>;

/** The updates that an owner has recorded; one that cannot be read records nothing. */
export function updateRecordsOf({ metadata }: Frozen<KubernetesObject>): UpdateRecords {
  const text = metadata.annotations?.[STARTED_UPDATES_ANNOTATION];
  if (text === undefined) return new Map();
  const entries = Object.entries(parsed(text)).flatMap(([name, value]) => {
    const record = recordIn(value);
    return record ? [[name, record] as const] : [];
  });
  return new Map(entries);
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function recordIn(value: unknown): UpdateRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { updaters, version, key, needsDrain } = value as {
    readonly [field in keyof UpdateRecord]?: unknown;
  };
  const isList = Array.isArray(updaters) && updaters.every((one) => typeof one === "string");
  if (!isList || (version !== null && typeof version !== "string") || typeof key !== "string")
    return undefined;
  return { updaters, version, key, ...(needsDrain === true && { needsDrain }) };
}

/** The annotation with records; undefined without any. The same records give the same text. */
export function updateRecordsText(records: UpdateRecords): string | undefined {
  if (records.size === 0) return undefined;
  const sorted = [...records].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

/** The inputs of the decision which records stay. */
interface KeptRecordsInput {
  readonly records: UpdateRecords;
  /** The machines of the owner. */
  readonly machines: readonly Frozen<Machine>[];
  /** The version that the owner gives its machines. */
  readonly version: string | undefined;
  /** Whether an older record says that the owner started the update of a machine without a record here. */
  readonly isKnown?: (name: string) => boolean;
}

/**
 * The records of the machines that are being updated; the record of an ended update would let it run again. An update that
 * was started before owners recorded them is recorded if something says so that only controllers write.
 */
export function keptRecords({ records, machines, version, isKnown }: KeptRecordsInput): UpdateRecords {
  const known = (machine: Frozen<Machine>): UpdateRecord | undefined => {
    const { name, annotations } = machine.metadata;
    if (machine.status?.update === undefined && isKnown?.(name) !== true) return undefined;
    const key = annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] ?? "";
    return { updaters: machine.spec.updaters ?? [], version: version ?? null, key };
  };
  const kept = machines.filter(isBeingUpdated).flatMap((machine) => {
    const { name } = machine.metadata;
    const record = records.get(name) ?? known(machine);
    return record ? [[name, record] as const] : [];
  });
  return new Map(kept);
}

function isBeingUpdated(machine: Frozen<Machine>): boolean {
  return machine.metadata.deletionTimestamp === undefined && isUpdatingInPlace(machine);
}

/** The recorded updaters that a machine still has to run; those that another client wrote are not among them. */
export function recordedUpdatersLeft(
  machine: Frozen<Machine>,
  record: UpdateRecord | undefined,
): readonly string[] {
  return (machine.spec.updaters ?? []).filter((name) => record?.updaters.includes(name) === true);
}

/** Why the updaters of a machine must not start; undefined if its owner has recorded this update. */
export function recordProblem(
  machine: Frozen<Machine>,
  record: UpdateRecord | undefined,
): string | undefined {
  if (!record) return "its owner has not recorded an update of this machine";
  const { metadata, spec } = machine;
  const { updaters = [], version = null } = spec;
  if (!isEndOf(updaters, record.updaters))
    return `spec.updaters is ${updaters.join(", ")}, but its owner recorded ${textOf(record.updaters.join(", "))}`;
  if (version !== record.version)
    return `spec.version is ${textOf(version)}, but its owner recorded ${textOf(record.version)}`;
  const key = metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] ?? "";
  return key === record.key ? undefined : "its owner recorded an update to another desired state";
}

function textOf(value: string | null): string {
  return value === null || value === "" ? "none" : value;
}

/** A machine loses an updater when it is done, from the start of the list. */
function isEndOf(names: readonly string[], all: readonly string[]): boolean {
  const skipped = all.length - names.length;
  return skipped >= 0 && names.every((name, at) => name === all[skipped + at]);
}
