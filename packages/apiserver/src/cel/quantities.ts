import { parseQuantity, quantityProblem } from "@capstan/api";
import type { Environment } from "@marcbachmann/cel-js";

const NANO = 1_000_000_000n;
const INT64_MAX = (1n << 63n) - 1n;

/** A quantity inside an expression. */
class CelQuantity {
  readonly nano: bigint;
  /** Whether it was written as a whole number: Kubernetes says that 1000m is not an integer. */
  readonly isWhole: boolean;

  constructor(nano: bigint, isWhole: boolean) {
    this.nano = nano;
    this.isWhole = isWhole;
  }
}

/** Adds Kubernetes' functions on quantities. */
export function registerQuantities(environment: Environment): Environment {
  return environment
    .registerType("Quantity", CelQuantity)
    .registerFunction("isQuantity(string): bool", (text: string) => quantityProblem(text) === undefined)
    .registerFunction("quantity(string): Quantity", read)
    .registerFunction("Quantity.isInteger(): bool", isInteger)
    .registerFunction("Quantity.asInteger(): int", (one: CelQuantity) => {
      if (!isInteger(one)) throw new Error("cannot convert value to integer");
      return one.nano / NANO;
    })
    .registerFunction(
      "Quantity.asApproximateFloat(): double",
      (one: CelQuantity) => Number(one.nano) / Number(NANO),
    )
    .registerFunction("Quantity.sign(): int", (one: CelQuantity) => sign(one.nano))
    .registerFunction("Quantity.add(Quantity): Quantity", (one: CelQuantity, other: CelQuantity) =>
      made(one.nano + other.nano),
    )
    .registerFunction("Quantity.add(int): Quantity", (one: CelQuantity, other: bigint) =>
      made(one.nano + other * NANO),
    )
    .registerFunction("Quantity.sub(Quantity): Quantity", (one: CelQuantity, other: CelQuantity) =>
      made(one.nano - other.nano),
    )
    .registerFunction("Quantity.sub(int): Quantity", (one: CelQuantity, other: bigint) =>
      made(one.nano - other * NANO),
    )
    .registerFunction(
      "Quantity.isLessThan(Quantity): bool",
      (one: CelQuantity, other: CelQuantity) => one.nano < other.nano,
    )
    .registerFunction(
      "Quantity.isGreaterThan(Quantity): bool",
      (one: CelQuantity, other: CelQuantity) => one.nano > other.nano,
    )
    .registerFunction("Quantity.compareTo(Quantity): int", (one: CelQuantity, other: CelQuantity) =>
      sign(one.nano - other.nano),
    )
    .registerOperator(
      "Quantity == Quantity",
      (one: CelQuantity, other: CelQuantity) => one.nano === other.nano,
    );
}

// Kubernetes' own words.
const NOT_A_QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function read(text: string): CelQuantity {
  if (quantityProblem(text) !== undefined) throw new Error(NOT_A_QUANTITY);
  const { nano } = parseQuantity(text);
  return new CelQuantity(nano, /^[+-]?\d+([kMGTPE]i?|e\d+)?$/.test(text));
}

function made(nano: bigint): CelQuantity {
  return new CelQuantity(nano, nano % NANO === 0n);
}

function isInteger({ nano, isWhole }: CelQuantity): boolean {
  return isWhole && nano / NANO <= INT64_MAX && nano / NANO >= -INT64_MAX;
}

function sign(nano: bigint): bigint {
  return nano > 0n ? 1n : nano < 0n ? -1n : 0n;
}
