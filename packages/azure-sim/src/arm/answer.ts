/**
 * A list whose items are JSON texts already. It becomes one text only when it is read: a text of hundreds of kilobytes that
 * is joined earlier would survive young-generation collections and wait for a full one.
 */
export class JsonList {
  readonly #items: readonly string[];
  readonly #nextLink: string | undefined;

  constructor(items: readonly string[], nextLink: string | undefined) {
    this.#items = items;
    this.#nextLink = nextLink;
  }

  get text(): string {
    const next = this.#nextLink === undefined ? "" : `,"nextLink":${JSON.stringify(this.#nextLink)}`;
    // One join, not two concatenations: the reader would have to copy a text of three parts again.
    const parts = [...this.#items];
    parts[0] = `{"value":[${parts[0] ?? ""}`;
    parts.push(`${parts.pop()}]${next}}`);
    return parts.join(",");
  }
}

/** What the core answers. The adapter turns it into an HTTP response, after the delay and unless it is lost. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value or a JsonList; undefined means no body. */
  readonly body?: unknown;
  /** How long the answer takes, in simulated milliseconds. */
  readonly delayMs?: number;
  /** The answer never arrives: the connection breaks. */
  readonly isLost?: boolean;
}

/** An answer with a JSON body. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body, headers };
}

/** An answer without a body. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers };
}
