import type { Clock } from "@capstan/env";

/** How long answers are cached, and by which key. */
export interface CacheOptions<A extends readonly unknown[]> {
  readonly clock: Clock;
  readonly forMs: number;
  /** The same for an answer that there is nothing: often a controller is about to create what was asked for. */
  readonly nothingForMs?: number;
  /** Questions with the same key have the same answer; by default the key is the question as text. */
  readonly keyOf?: (...question: A) => string;
}

/**
 * Caches answers for a while. Otherwise a thousand clusters with the same identity would read its Secret on each pass; a
 * change takes effect when the cached answer expires.
 */
export function cachedAnswers<A extends readonly unknown[], R>(
  ask: (...question: A) => Promise<R>,
  { clock, forMs, nothingForMs = forMs, keyOf = (...question) => question.join("\n") }: CacheOptions<A>,
): (...question: A) => Promise<R> {
  const answers = new Map<string, { readonly untilMs: number; readonly answer: Promise<R> }>();
  return (...question) => {
    const key = keyOf(...question);
    const nowMs = clock.monotonic();
    const known = answers.get(key);
    if (known && nowMs < known.untilMs) return known.answer;
    forget(answers, nowMs);
    const answer = ask(...question);
    const entry = { untilMs: nowMs + forMs, answer };
    answers.set(key, entry);
    answer.then(
      (found) => {
        if (found === undefined) entry.untilMs = nowMs + nothingForMs;
      },
      // A failure is not cached.
      () => answers.delete(key),
    );
    return answer;
  };
}

function forget(answers: Map<string, { readonly untilMs: number }>, nowMs: number): void {
  for (const [key, { untilMs }] of answers) {
    if (nowMs >= untilMs) answers.delete(key);
  }
}
