import type { Contents, SchemaNode } from "./node.ts";

/** The parameters of a visit. */
interface Visit {
  /** Only branches of the schema with this feature are visited. */
  readonly has: keyof Contents;
  /** Called for every object and list in those branches, with its path. */
  readonly found: (node: SchemaNode, value: object, path: string) => void;
}

/** Visits a value along its schema, from the outside in. */
export function visit(node: SchemaNode, value: unknown, { has, found }: Visit): void {
  enter(node, value, "");

  function enter(at: SchemaNode | "any" | undefined, inside: unknown, path: string): void {
    if (at === undefined || at === "any" || !at.has[has]) return;
    if (typeof inside === "object" && inside !== null) look(at, inside, path);
  }

  function look(at: SchemaNode, inside: object, path: string): void {
    found(at, inside, path);
    if (Array.isArray(inside)) {
      for (const [index, item] of inside.entries()) enter(at.items, item, `${path}[${index}]`);
      return;
    }
    for (const [name, field] of Object.entries(inside)) {
      const property = at.properties.get(name);
      if (property) enter(property, field, path === "" ? name : `${path}.${name}`);
      else enter(at.additional, field, `${path}[${name}]`);
    }
  }
}
