/** The cost of an expression has exceeded its limit. */
export class CostExceeded extends Error {
  override readonly name = "CostExceeded";
}

/** Counts the work of one expression and ends it: a rule over a hostile object takes bounded time. */
export class Meter {
  readonly #limit: number;
  #cost = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** CEL's `||` and `all` may swallow the error of one operand, so the result is checked once more at the end. */
  get isExceeded(): boolean {
    return this.#cost > this.#limit;
  }

  charge(cost: number): void {
    this.#cost += cost;
    if (this.isExceeded) throw new CostExceeded(`the cost limit of ${this.#limit} is exceeded`);
  }

  /** One step, and a share of the size of its result: what follows may read all of a text or list. */
  chargeResult(value: unknown): void {
    this.charge(1 + sizeOf(value) / SIZE_FOR_ONE);
  }
}

// As in Kubernetes: reading ten characters or items costs as much as one step.
const SIZE_FOR_ONE = 10;

function sizeOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 0;
}
