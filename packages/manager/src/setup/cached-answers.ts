import type { Clock } from "@capstan/env";

/**
 * The same answers for a while. A thousand clusters that share an identity would otherwise read its Secret in each of
 * their passes; one that is changed counts after that while.
 */
export function cachedAnswers<A extends readonly string[], R>(
  ask: (...question: A) => Promise<R>,
  { clock, forMs }: { readonly clock: Clock; readonly forMs: number },
): (...question: A) => Promise<R> {
  const answers = new Map<string, { readonly untilMs: number; readonly answer: Promise<R> }>();
  return (...question) => {
    const key = question.join("\n");
    const nowMs = clock.monotonic();
    const known = answers.get(key);
    if (known && nowMs < known.untilMs) return known.answer;
    forget(answers, nowMs);
    const answer = ask(...question);
    answers.set(key, { untilMs: nowMs + forMs, answer });
    // A failure is no answer: the next one asks again.
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

function forget(answers: Map<string, { readonly untilMs: number }>, nowMs: number): void {
  for (const [key, { untilMs }] of answers) {
    if (nowMs >= untilMs) answers.delete(key);
  }
}
