/** A storm, and the states that it reached. */
export interface Storm {
  readonly seed: number;
  readonly reached: readonly string[];
}

/** A change of a controller shifts what a storm reaches; a state that three storms reach is not lost with one of them. */
const STORMS_PER_STATE = 3;

/**
 * Chooses `count` seeds. First those that reach the states, each state three times if there are as many such storms; then the
 * lowest seeds of the rest, which is a fair sample.
 */
export function chooseSeeds(
  storms: readonly Storm[],
  states: readonly string[],
  count: number,
): readonly number[] {
  const missing = new Map(states.map((state) => [state, STORMS_PER_STATE]));
  const rest = [...storms].toSorted((left, right) => left.seed - right.seed);
  const chosen: number[] = [];
  const gainOf = ({ reached }: Storm): number =>
    reached.filter((state) => (missing.get(state) ?? 0) > 0).length;
  while (chosen.length < count && rest.length > 0) {
    // With no gain anywhere the first of the rest has the greatest one: the lowest seed.
    const best = rest.reduce((found, storm) => (gainOf(storm) > gainOf(found) ? storm : found));
    rest.splice(rest.indexOf(best), 1);
    chosen.push(best.seed);
    for (const state of best.reached) {
      const left = missing.get(state);
      if (left !== undefined) missing.set(state, left - 1);
    }
  }
  const unreached = states.filter((state) => missing.get(state) === STORMS_PER_STATE);
  if (unreached.length > 0) throw new Error(`no storm reaches: ${unreached.join(", ")}`);
  return chosen.toSorted((left, right) => left - right);
}
