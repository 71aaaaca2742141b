import { RE2JS, RE2JSException } from "re2js";

/** A pattern that is invalid in Go; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Decides whether a text matches. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * A pattern of a schema. Kubernetes uses Go's syntax (RE2), and so does this: JavaScript's own expressions accept other
 * patterns, match other texts, and may take exponential time.
 */
export function compilePattern(source: string): Pattern {
  try {
    const expression = RE2JS.compile(source);
    return { test: (text) => expression.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(error.message);
  }
}
