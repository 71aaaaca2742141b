import type { CustomKind } from "../kind.ts";
import type { RuledVersion } from "./by-rules.ts";
import { fieldPath, type FieldPath } from "./field-path.ts";
import type { FieldRule } from "./rules.ts";
import type { Versions } from "./version-conversion.ts";

/** A field that has another place after a conversion. */
interface FieldMove {
  readonly from: FieldPath;
  readonly to: FieldPath;
}

/** Moves inside each item of a list. */
interface ItemMoves {
  /** Where the list is while its items are converted. */
  readonly list: FieldPath;
  readonly moves: readonly Moves[];
}

/** One step of the way of fields between two versions. */
export type Moves = FieldMove | ItemMoves;

/**
 * Where the fields of a kind go between two of its versions, in the order of the conversion: a move begins where the moves
 * before it have ended. The values may change on the way; comments in a manifest follow these moves.
 */
export function fieldMoves({ group, converted }: CustomKind, { from, to }: Versions): readonly Moves[] {
  const rules = (converted as readonly Partial<RuledVersion>[])
    .filter(({ version }) => [from, to].includes(`${group}/${version}`))
    .flatMap(({ fieldRules = [] }) => fieldRules);
  // The names of all versions with rules (v1alpha1, v1beta1, v1beta2) sort by age.
  const isUp = from < to;
  return movesOf(isUp ? rules : rules.toReversed(), isUp);
}

function movesOf(rules: readonly FieldRule[], isUp: boolean): readonly Moves[] {
  return rules.flatMap((rule): readonly Moves[] => {
    if (rule.inner) {
      const inner = isUp ? rule.inner.rules : rule.inner.rules.toReversed();
      return [{ list: fieldPath(rule.inner.list), moves: movesOf(inner, isUp) }];
    }
    return pairsOf(rule)
      .filter(({ older, newer }) => older !== newer)
      .map(({ older, newer }) =>
        isUp
          ? { from: fieldPath(older), to: fieldPath(newer) }
          : { from: fieldPath(newer), to: fieldPath(older) },
      );
  });
}

function pairsOf({ older, newer, moves }: FieldRule): NonNullable<FieldRule["moves"]> {
  const [before, after] = [older[0], newer[0]];
  const isPair = older.length === 1 && newer.length === 1 && before !== undefined && after !== undefined;
  return moves ?? (isPair ? [{ older: before, newer: after }] : []);
}
