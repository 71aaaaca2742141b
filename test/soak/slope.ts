/** By how much values grow from one to the next: the slope of the line with the least squared distance from them. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const products = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const squares = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return squares === 0 ? 0 : products / squares;
}

/** The lowest value of each group of so many; values at the end that do not fill a group are left out. */
export function lowestOfEach(values: readonly number[], size: number): readonly number[] {
  return Array.from({ length: Math.floor(values.length / size) }, (_, at) =>
    Math.min(...values.slice(at * size, (at + 1) * size)),
  );
}
