import { ArmError } from "../arm/errors.ts";
import { Table } from "../core/table.ts";

/** A prohibition in a scope: a lock, or a policy that denies. */
export interface Prohibition {
  readonly name: string;
  /** The id of a subscription, group or resource; everything inside it is covered. */
  readonly scope: string;
  readonly kind: "CanNotDelete" | "ReadOnly" | "DenyByPolicy";
  /**
   * For a policy: the type whose creation it denies, such as Microsoft.Network/publicIPAddresses; all types unless given.
   */
  readonly type?: string;
}

/** A write that prohibitions are checked for. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly principal: string;
}

/** The active locks and policies. */
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

  /** Refuses a write that a prohibition covers. Reads are always allowed. */
  check(write: Write): void {
    for (const [, prohibition] of this.table.entries()) {
      if (isInside(write.path, prohibition.scope) && forbids(prohibition, write))
        throw refusal(prohibition, write);
    }
  }
}

function isInside(path: string, scope: string): boolean {
  const [inner, outer] = [path.toLowerCase(), scope.toLowerCase()];
  // A lock on a child also protects its parent from deletion.
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
