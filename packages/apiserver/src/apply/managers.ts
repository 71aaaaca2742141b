/** The managers of an object's fields, as `metadata.managedFields` lists them. */
import { type FieldSet, isEmptySet, union } from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";

/** One entry of managedFields. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  /** The version that the fields are named in. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** When the manager last changed the object; an entry may lack it. */
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** Managers by their identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** A writer of an object, before it is known what it owns. */
export type Writer = Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">;

/**
 * What tells managers apart. An applier is the same one in every version of the kind; an updater is another one in each.
 */
export function identityOf({ name, operation, apiVersion, subresource }: Writer): string {
  return JSON.stringify({
    manager: name,
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });
}

/** The managers that a list of entries names; undefined if one of them cannot be read. */
export function readManagers(entries: unknown): Managers | undefined {
  const managers = new Map<string, Manager>();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) {
    const manager = readEntry(entry as Readonly<Record<string, unknown>>);
    if (!manager) return undefined;
    managers.set(identityOf(manager), manager);
  }
  return managers;
}

function readEntry(entry: Readonly<Record<string, unknown>>): Manager | undefined {
  const { manager = "", operation, apiVersion = "", time, fieldsType, fieldsV1, subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (fieldsType !== "FieldsV1" || !isVersion(apiVersion)) return undefined;
  const set = readFieldsV1(fieldsV1);
  if (!set) return undefined;
  return {
    name: String(manager),
    operation,
    apiVersion,
    subresource: String(subresource),
    time: typeof time === "string" ? time : undefined,
    set,
  };
}

function isVersion(apiVersion: unknown): apiVersion is string {
  return typeof apiVersion === "string" && apiVersion !== "" && apiVersion.split("/").length <= 2;
}

/** Whether the entries mean that the client wants no managers: one entry without fields. */
export function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length !== 1) return false;
  const [entry] = entries as unknown[];
  return typeof entry === "object" && entry !== null && Object.keys(entry).length === 0;
}

/** The entries of managedFields, frozen and in kube-apiserver's order; undefined if no manager owns a field. */
export function writeManagers(managers: Managers): readonly unknown[] | undefined {
  const owners = [...managers.values()].filter(({ set }) => !isEmptySet(set)).sort(byOrder);
  return owners.length === 0 ? undefined : Object.freeze(owners.map(writeEntry));
}

function writeEntry({ name, operation, apiVersion, time, set, subresource }: Manager): unknown {
  return Object.freeze({
    ...(name !== "" && { manager: name }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: writeFieldsV1(set),
    ...(subresource !== "" && { subresource }),
  });
}

/** Appliers before updaters, then by time; entries without a time come first. */
function byOrder(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// kube-apiserver's limit: objects that many clients update must not grow without end.
const MOST_UPDATERS = 10;

const ANCIENT = "ancient-changes";

/** Merges the oldest updaters into one per version, so that at most ten are left. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  if (updaters.length <= MOST_UPDATERS) return managers;
  const capped = new Map(managers);
  const oldest = updaters.sort(([, a], [, b]) => byOrder(a, b));
  const buckets = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, manager] of oldest) {
    if (count <= MOST_UPDATERS) break;
    const { apiVersion } = manager;
    const first = buckets.get(apiVersion);
    const bucket: Writer = { name: ANCIENT, operation: "Update", apiVersion, subresource: "" };
    const target = identityOf(bucket);
    if (first === undefined) {
      // The first one only gets another name: the count falls when a second one joins it.
      capped.delete(identity);
      capped.set(target, { ...manager, ...bucket });
      buckets.set(apiVersion, target);
      continue;
    }
    const joined = capped.get(target);
    capped.delete(identity);
    capped.set(target, { ...manager, ...bucket, set: joined ? union(joined.set, manager.set) : manager.set });
    count--;
  }
  return capped;
}

/** Whether two lists of entries differ in nothing but times. */
export function sameButTimes(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((entry, index) => sameEntry(entry as Entry, b[index] as Entry));
}

type Entry = Readonly<Record<string, unknown>>;

function sameEntry(a: Entry, b: Entry): boolean {
  const isSameText = ["manager", "operation", "apiVersion", "subresource"].every(
    (name) => a[name] === b[name],
  );
  if (!isSameText) return false;
  return a["fieldsV1"] === b["fieldsV1"] || JSON.stringify(a["fieldsV1"]) === JSON.stringify(b["fieldsV1"]);
}
