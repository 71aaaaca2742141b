/** The missed goals; a benchmark with any of them fails. */
export class Goals {
  readonly #missed: string[] = [];

  /** An upper limit of a figure. */
  atMost(what: string, value: number, limit: number): void {
    if (!(value <= limit)) this.#missed.push(`${what}: ${shown(value)}, at most ${limit}`);
  }

  /** A lower limit of a figure. */
  atLeast(what: string, value: number, limit: number): void {
    if (!(value >= limit)) this.#missed.push(`${what}: ${shown(value)}, at least ${limit}`);
  }

  /** Prints the missed goals and sets the exit code. */
  conclude(): void {
    console.log();
    console.log(
      this.#missed.length === 0 ? "All goals are met." : `Missed goals:\n- ${this.#missed.join("\n- ")}`,
    );
    if (this.#missed.length > 0) process.exitCode = 1;
  }
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
