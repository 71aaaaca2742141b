/** Limits how often the counts of a pool are published. */
export class PublishInterval {
  #publishedAtMs = -Infinity;

  /** Whether counts may be published now (monotonic); if so, they count as published. */
  isDue(nowMs: number, pauseMs: number): boolean {
    if (nowMs - this.#publishedAtMs < pauseMs) return false;
    this.#publishedAtMs = nowMs;
    return true;
  }
}
