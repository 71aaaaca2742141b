/**
 * Who owns the replicas of an object after a write of its Scale. The Scale has one field, so the managers of the object
 * are changed directly. As in kube-apiserver, entries that such a write touches have no time, and a value that no
 * manager owns stays without one unless it is applied.
 */
import { ConflictError } from "./conflicts.ts";
import { difference, type FieldSet, intersection, isEmptySet, pathSet } from "./field-set.ts";
import { identityOf, type Manager, type Managers, type Writer } from "./managers.ts";
import { fieldElement } from "./path-element.ts";

/** A write of the replicas through the Scale. */
interface ScaleWrite {
  /** The path of the replicas in a version, such as `.spec.replicas`. */
  readonly pathIn: (apiVersion: string) => string;
  readonly writer: Writer;
  /** Whether the write changes the replicas. */
  readonly isChange: boolean;
  readonly force: boolean;
}

/** The managers after the write. Throws a ConflictError if an apply changes the replicas of another manager. */
export function scaleManagers(managers: Managers, { pathIn, writer, isChange, force }: ScaleWrite): Managers {
  const replicasIn = (apiVersion: string): FieldSet => fieldAt(pathIn(apiVersion));
  const identity = identityOf(writer);
  const owners = [...managers].filter(
    ([, { set, apiVersion }]) => !isEmptySet(intersection(set, replicasIn(apiVersion))),
  );
  const isApply = writer.operation === "Apply";
  if (owners.length === 0 && !isApply) return managers;
  const others = owners.filter(([other]) => other !== identity);
  if (isApply && isChange && !force && others.length > 0)
    throw new ConflictError(
      new Map(others.map(([other, manager]) => [other, { manager, fields: replicasIn(manager.apiVersion) }])),
    );
  const result = new Map(managers);
  for (const [other, manager] of others)
    setOrDrop(result, other, afterScale(manager, replicasIn(manager.apiVersion), isChange));
  if (isApply || isChange)
    result.set(identity, { ...writer, time: undefined, set: replicasIn(writer.apiVersion) });
  return result;
}

function fieldAt(path: string): FieldSet {
  const names = path.split(".").filter((name) => name !== "");
  return pathSet(...names.map(fieldElement));
}

function afterScale(manager: Manager, replicas: FieldSet, isChange: boolean): Manager {
  if (isChange) return { ...manager, set: difference(manager.set, replicas) };
  return manager.operation === "Update" ? { ...manager, time: undefined } : manager;
}

function setOrDrop(managers: Map<string, Manager>, identity: string, manager: Manager): void {
  if (isEmptySet(manager.set)) managers.delete(identity);
  else managers.set(identity, manager);
}
