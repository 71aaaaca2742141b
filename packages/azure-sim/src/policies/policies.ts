import { ArmError } from "../arm/errors.ts";
import { Table } from "../core/table.ts";

/** Something an administrator forbids in a scope: a lock, or a policy that denies. */
export interface Prohibition {
  readonly name: string;
  /** The id of a subscription, group or resource; what is inside is meant too. */
  readonly scope: string;
  readonly kind: "CanNotDelete" | "ReadOnly" | "DenyByPolicy";
  /** For a policy: the type whose creation is denied, such as Microsoft.Network/publicIPAddresses; all unless told. */
  readonly type?: string;
}

/** A write as prohibitions see it. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly principal: string;
}

/** The locks and denials that are in force. */
export class Policies {
  readonly table: Table<Prohibition>;

  constructor(isStored: boolean) {
    this.table = new Table<Prohibition>("prohibition", isStored);
  }

  add(prohibition: Prohibition): void {
    this.table.set(prohibition.name, prohibition);
  }

  remove(name: string): void {
    this.table.delete(name);
  }

  list(): readonly Prohibition[] {
    return [...this.table.entries()].map(([, prohibition]) => prohibition);
  }

  /** Refuses what is forbidden. Reads never are. */
  check(write: Write): void {
    for (const [, prohibition] of this.table.entries()) {
      if (isInside(write.path, prohibition.scope) && forbids(prohibition, write))
        throw refusal(prohibition, write);
    }
  }
}

function isInside(path: string, scope: string): boolean {
  const [inner, outer] = [path.toLowerCase(), scope.toLowerCase()];
  // A lock on a part also keeps the whole from being deleted.
  return inner === outer || inner.startsWith(`${outer}/`) || outer.startsWith(`${inner}/`);
}

function forbids({ kind, type, scope }: Prohibition, { method, path, type: written }: Write): boolean {
  const isAbove = path.length < scope.length;
  if (kind === "CanNotDelete") return method === "DELETE";
  if (kind === "ReadOnly") return method === "DELETE" || (!isAbove && method !== "GET" && method !== "HEAD");
  const isWanted = type === undefined || type.toLowerCase() === written.toLowerCase();
  return !isAbove && isWanted && (method === "PUT" || method === "PATCH");
}

function refusal({ kind, scope, name }: Prohibition, { method, path, principal }: Write): ArmError {
  if (kind === "DenyByPolicy") {
    return new ArmError(403, {
      code: "RequestDisallowedByPolicy",
      message: `Resource '${path.split("/").at(-1)}' was disallowed by policy. Policy identifiers: '[{"policyAssignment":{"name":"${name}","id":"${scope}/providers/Microsoft.Authorization/policyAssignments/${name}"}}]'.`,
      target: path.split("/").at(-1) ?? "",
    });
  }
  const verb = method === "DELETE" ? "delete" : "write";
  return new ArmError(409, {
    code: "ScopeLocked",
    message: `The scope '${path}' cannot perform ${verb} operation because following scope(s) are locked: '${scope}'. Please remove the lock and try again. (principal '${principal}', lock '${name}', level ${kind})`,
  });
}
