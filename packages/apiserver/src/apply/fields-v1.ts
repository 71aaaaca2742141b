/** FieldsV1, the form in which managedFields store a set of paths. */
import { type FieldSet, EMPTY, fieldSet, isEmptySet, LEAF } from "./field-set.ts";
import { readElement, shownElement, sortedElements } from "./path-element.ts";

/** A node of FieldsV1: `.` means that its own path is a member. */
interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

const sets = new WeakMap<object, FieldSet>();
const texts = new WeakMap<FieldSet, FieldsV1>();

/** The set of FieldsV1; undefined if the value is not FieldsV1. Stored values are parsed once. */
export function readFieldsV1(fields: unknown): FieldSet | undefined {
  if (fields === undefined || fields === null) return EMPTY;
  if (!isRecord(fields)) return undefined;
  const known = sets.get(fields);
  if (known) return known;
  const set = readNode(fields, true);
  // A value that its owner can still change must not be remembered.
  if (set && Object.isFrozen(fields)) sets.set(fields, set);
  return set;
}

function readNode(fields: Readonly<Record<string, unknown>>, isRoot: boolean): FieldSet | undefined {
  let isMember = false;
  const children = new Map<string, FieldSet>();
  for (const [text, value] of Object.entries(fields)) {
    if (!isRecord(value)) return undefined;
    if (text === ".") {
      isMember = true;
      continue;
    }
    const element = readElement(text);
    const child = element === undefined ? undefined : readNode(value, false);
    if (element === undefined || !child) return undefined;
    children.set(element, child);
  }
  if (!isRoot && children.size === 0) return LEAF;
  return fieldSet(isMember, children);
}

/**
 * A set as FieldsV1, frozen. Equal sets mostly give the same value: objects of a kind that one client creates have the
 * same fields, and share the memory of their names.
 */
export function writeFieldsV1(set: FieldSet): FieldsV1 {
  const known = texts.get(set);
  if (known) return known;
  const written = shared(Object.freeze(writeNode(set)));
  // The shared nodes of `field-set.ts` are never the set of a manager.
  if (!isEmptySet(set)) {
    texts.set(set, written);
    if (!sets.has(written)) sets.set(written, set);
  }
  return written;
}

// As many as a server has pairs of clients and kinds; longer ones belong to single objects.
const MOST_SHARED = 2_000;
const LONGEST_SHARED = 4_000;
const sharedValues = new Map<string, FieldsV1>();

function shared(fields: FieldsV1): FieldsV1 {
  const text = JSON.stringify(fields);
  if (text.length > LONGEST_SHARED) return fields;
  const known = sharedValues.get(text);
  if (known) return known;
  sharedValues.set(text, fields);
  const [oldest] = sharedValues.keys();
  if (sharedValues.size > MOST_SHARED && oldest !== undefined) sharedValues.delete(oldest);
  return fields;
}

function writeNode({ isMember, children }: FieldSet): FieldsV1 {
  const written: Record<string, FieldsV1> = {};
  if (isMember && children.size > 0) written["."] = NOTHING;
  for (const element of [...children.keys()].sort()) {
    const child = children.get(element) ?? EMPTY;
    written[element] = child.children.size === 0 ? NOTHING : Object.freeze(writeNode(child));
  }
  return written;
}

const NOTHING: FieldsV1 = Object.freeze({});

/** The paths of a set as messages show them: the members of a level before those below it. */
export function shownPaths(set: FieldSet): string[] {
  const paths: string[] = [];
  collectPaths(set, "", paths);
  return paths;
}

function collectPaths({ children }: FieldSet, prefix: string, paths: string[]): void {
  const elements = sortedElements(children.keys());
  for (const element of elements)
    if (children.get(element)?.isMember) paths.push(prefix + shownElement(element));
  for (const element of elements)
    collectPaths(children.get(element) ?? EMPTY, prefix + shownElement(element), paths);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
