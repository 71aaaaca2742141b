import { fieldOf, type Findings, pathText, report } from "./findings.ts";
import { goNumber, goQuote } from "./go-text.ts";
import type { Bound, Limits } from "./node.ts";
import { invalidValue, tooLong, wrongType } from "./problem.ts";

/**
 * Checks a text against length, pattern and format. Like kube-apiserver, it reports only the first of length and
 * pattern.
 */
export function checkText(findings: Findings, limits: Limits, text: string): void {
  const { minLength, maxLength, pattern, format } = limits;
  findings.matches++;
  if (maxLength !== undefined && isLongerThan(text, maxLength)) {
    report(findings, tooLong(fieldOf(findings), maxLength));
  } else if (minLength !== undefined && !isLongerThan(text, minLength - 1)) {
    reportLimit(findings, text, `should be at least ${minLength} chars long`);
  } else if (pattern && !pattern.matches(text)) {
    reportLimit(findings, text, `should match '${pattern.source}'`);
  }
  if (!format) return;
  findings.matches++;
  if (format.matches(text)) return;
  const detail = `${pathText(findings)} in body must be of type ${format.name}: ${goQuote(text)}`;
  report(findings, wrongType(fieldOf(findings), text, detail));
}

/** Whether a text has more characters than that; those outside the basic plane are two code units in JavaScript. */
function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}

/** Checks a number against its bounds. For integers kube-apiserver truncates the bounds. */
export function checkNumber(findings: Findings, limits: Limits, exact: number | bigint): void {
  const { minimum, maximum, multipleOf } = limits;
  // No bound of a schema is so large that the lost digits could matter.
  const value = Number(exact);
  const cut = Number.isInteger(value) ? Math.trunc : (bound: number) => bound;
  findings.matches += 2;
  if (multipleOf !== undefined) checkMultiple(findings, value, cut(multipleOf));
  if (minimum && isBelow(value, { ...minimum, value: cut(minimum.value) })) {
    const words = minimum.exclusive ? "greater than" : "greater than or equal to";
    reportLimit(findings, exact, `should be ${words} ${goNumber(cut(minimum.value))}`);
  }
  if (maximum && isBelow(-value, { ...maximum, value: -cut(maximum.value) })) {
    const words = maximum.exclusive ? "less than" : "less than or equal to";
    reportLimit(findings, exact, `should be ${words} ${goNumber(cut(maximum.value))}`);
  }
}

function isBelow(value: number, bound: Bound): boolean {
  return bound.exclusive ? value <= bound.value : value < bound.value;
}

function checkMultiple(findings: Findings, value: number, factor: number): void {
  if (factor <= 0) {
    const detail = `factor MultipleOf declared for ${pathText(findings)} must be positive: ${goNumber(factor)}`;
    report(findings, invalidValue(fieldOf(findings), factor, detail));
    return;
  }
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (!isWhole(quotient)) reportLimit(findings, value, `should be a multiple of ${goNumber(factor)}`);
}

// The tolerance of kube-apiserver for a quotient of fractions.
const TOLERANCE = 1e-9;

function isWhole(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const whole = Math.trunc(value);
  return whole !== 0 && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < TOLERANCE;
}

function reportLimit(findings: Findings, value: unknown, what: string): void {
  report(findings, invalidValue(fieldOf(findings), value, `${pathText(findings)} in body ${what}`));
}
