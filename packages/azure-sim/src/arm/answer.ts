/** A body whose text is there already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What the core answers. The adapter turns it into an HTTP response, after the delay and unless it is lost. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value or its text; no body at all when undefined. */
  readonly body?: unknown;
  /** How long the answer takes, in simulated milliseconds. */
  readonly delayMs?: number;
  /** The answer never arrives: the connection breaks instead. */
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
