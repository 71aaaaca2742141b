/** Whether an item of a list passes. */
export type Filter = (item: unknown) => boolean;

type Operand = (item: unknown) => readonly unknown[];

const COMPARISONS: Readonly<Record<string, (left: Scalar, right: Scalar) => boolean>> = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
};

type Scalar = string | number | boolean;

// The operator outside of quotes; the two-character ones come first.
const COMPARISON = /^((?:[^'"<>=!]|'[^']*'|"[^"]*")+)(==|!=|<=|>=|<|>)(.*)$/;

/** Parses the text between `?(` and `)`; undefined if it is invalid. `compile` parses the paths in it. */
export function parseFilter(
  text: string,
  compile: (path: string) => Operand | undefined,
): Filter | undefined {
  const [, leftText, operator = "", rightText = ""] = COMPARISON.exec(text.trim()) ?? [];
  if (leftText === undefined) {
    const path = operandOf(text.trim(), compile);
    return path && ((item) => path(item).length > 0);
  }
  const compare = COMPARISONS[operator];
  const left = operandOf(leftText.trim(), compile);
  const right = operandOf(rightText.trim(), compile);
  if (!compare || !left || !right) return undefined;
  return (item) => {
    const [a, b] = [left(item)[0], right(item)[0]];
    return isScalar(a) && isScalar(b) && typeof a === typeof b && compare(a, b);
  };
}

function operandOf(text: string, compile: (path: string) => Operand | undefined): Operand | undefined {
  if (text.startsWith("@")) return compile(text.slice(1));
  const literal = literalOf(text);
  return literal === undefined ? undefined : () => [literal];
}

function literalOf(text: string): Scalar | undefined {
  const quoted = /^(['"])(.*)\1$/.exec(text);
  if (quoted) return quoted[2];
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
