/** What was asked for and not reached; a bench with any of them fails. */
export class Goals {
  readonly #missed: string[] = [];

  /** A figure that may be so large at the most. */
  atMost(what: string, value: number, limit: number): void {
    if (!(value <= limit)) this.#missed.push(`${what}: ${shown(value)}, at most ${limit}`);
  }

  /** A figure that must be so large at the least. */
  atLeast(what: string, value: number, limit: number): void {
    if (!(value >= limit)) this.#missed.push(`${what}: ${shown(value)}, at least ${limit}`);
  }

  /** Says what was missed, and with which code the process ends. */
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
