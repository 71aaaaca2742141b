import {
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionStatus,
  withCondition,
} from "./definition.ts";

/** The names of other kinds of a group, which must be unique. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Collects the names of kinds. */
export function takenNames(names: Iterable<DefinitionNames>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames = [], kind, listKind } of names) {
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/** The part of a status that has the accepted names and whether the kind is served. */
export function nameStatus(
  requested: DefinitionNames,
  { conditions, acceptedNames }: DefinitionStatus,
  { taken, now }: { readonly taken: TakenNames; readonly now: string },
): Pick<DefinitionStatus, "conditions" | "acceptedNames"> {
  const { names, conflict } = accept(requested, acceptedNames, taken);
  const accepted = withCondition(
    conditions,
    conflict
      ? { type: "NamesAccepted", status: "False", ...conflict }
      : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    now,
  );
  return { acceptedNames: names, conditions: established(accepted, conflict !== undefined, now) };
}

/** A kind that is served stays served, even if later names conflict. */
function established(
  conditions: DefinitionCondition[],
  isConflict: boolean,
  now: string,
): DefinitionCondition[] {
  if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return conditions;
  return withCondition(
    conditions,
    isConflict
      ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
      : {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
    now,
  );
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Accepts the names that are free; of several conflicts the last one is reported. */
function accept(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  { resources, kinds }: TakenNames,
): { names: DefinitionNames; conflict: Conflict | undefined } {
  const names: Record<string, unknown> = { ...accepted };
  let conflict: Conflict | undefined;
  const { shortNames: known = [] } = accepted;
  const wanted: [keyof DefinitionNames, string, readonly string[], ReadonlySet<string>][] = [
    ["plural", "PluralConflict", fresh([requested.plural], [accepted.plural]), resources],
    ["singular", "SingularConflict", fresh([requested.singular], [accepted.singular]), resources],
    ["shortNames", "ShortNamesConflict", fresh(requested.shortNames ?? [], known), resources],
    ["kind", "KindConflict", fresh([requested.kind], [accepted.kind]), kinds],
    ["listKind", "ListKindConflict", fresh([requested.listKind], [accepted.listKind]), kinds],
  ];
  for (const [field, reason, candidates, taken] of wanted) {
    const clashes = candidates.filter((name) => taken.has(name));
    if (clashes.length > 0) conflict = { reason, message: inUse(clashes) };
    else assign(names, field, requested[field]);
  }
  assign(names, "categories", requested.categories);
  return { names: names as unknown as DefinitionNames, conflict };
}

function fresh(names: readonly (string | undefined)[], known: readonly (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined).filter((name) => !known.includes(name));
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

function assign(names: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete names[field];
  else names[field] = value;
}
