/** What is known in memory about the capacity of a scale set that an autoscaler resizes, too. */
export class Capacities {
  #possible: readonly number[] = [];
  #isResized = false;

  /** The capacities that running or failed writes may leave the scale set at. */
  get possible(): readonly number[] {
    return this.#possible;
  }

  /** Whether an autoscaler has resized the set, and Azure had not finished when it was last read. */
  get isResized(): boolean {
    return this.#isResized;
  }

  /** A write may leave the scale set at one of these. */
  expect(...capacities: readonly (number | undefined)[]): void {
    this.#possible = [...this.#possible, ...capacities.filter((one) => one !== undefined)];
  }

  /** The capacity was read while no write was open. */
  observe({ isResized }: { readonly isResized: boolean }): void {
    this.#isResized = isResized;
    this.#possible = [];
  }
}
