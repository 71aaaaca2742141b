import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";

/** An answer with a JSON body. */
export function json(code: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return {
    status: code,
    headers: { "content-type": "application/json", ...headers },
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    lines: () => {
      throw new TypeError("this answer is not a stream");
    },
  };
}

/** A plain text answer, such as that of a proxy. */
export function plain(code: number, body: string, headers: Record<string, string> = {}): HttpResponse {
  return {
    ...json(code, undefined, headers),
    json: async () => JSON.parse(body) as unknown,
    text: () => Promise.resolve(body),
  };
}

/** An answer with a Kubernetes Status; by default with the same code. */
export function status(code: number, rest: object = {}, headers: Record<string, string> = {}): HttpResponse {
  return json(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, ...rest }, headers);
}

/** A page of a list. */
export function page(items: readonly object[], resourceVersion: string, next?: string): HttpResponse {
  const metadata = { resourceVersion, ...(next !== undefined && { continue: next }) };
  return json(200, { apiVersion: "v1", kind: "List", metadata, items });
}

/** A stream that sends these lines and then ends, breaks, or stays open without events. */
export function stream(lines: readonly object[], end: "ends" | "stays" | Error = "stays"): HttpResponse {
  return {
    ...json(200, undefined),
    lines: async function* () {
      yield* lines;
      if (end === "stays") await new Promise(() => undefined);
      if (end instanceof Error) throw end;
    },
  };
}

/** A stream that the test feeds while it is open. */
export class Feed {
  readonly #lines: unknown[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  /** The answer that sends the fed lines. */
  readonly response: HttpResponse = { ...json(200, undefined), lines: () => this.#send() };

  send(type: string, object: object): void {
    this.#lines.push({ type, object });
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *#send(): AsyncGenerator {
    for (;;) {
      while (this.#lines.length > 0) yield this.#lines.shift();
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** The parameters of a request. */
export function queryOf({ path }: Pick<HttpRequest, "path">): URLSearchParams {
  return new URL(path, "http://server").searchParams;
}

/** Whether the request is a watch. */
export function isWatch(request: Pick<HttpRequest, "path">): boolean {
  return queryOf(request).get("watch") === "true";
}

/** Answers lists and watches by two functions that get the number of the attempt, starting at 1. */
export function listAndWatch(
  list: (nth: number, request: HttpRequest) => HttpResponse,
  watch: (nth: number, request: HttpRequest) => HttpResponse,
): Handler {
  let lists = 0;
  let watches = 0;
  return async (request) => (isWatch(request) ? watch(++watches, request) : list(++lists, request));
}
