import { type Handler, type HttpRequest, TransportError } from "@capstan/env";

/** Whether the API server of a cluster can be reached. A closed gate refuses requests and ends watches. */
export class Gate {
  readonly #name: string;
  #closing: AbortController | undefined;

  constructor(name: string) {
    this.#name = name;
    this.open();
  }

  get isOpen(): boolean {
    return this.#closing !== undefined;
  }

  open(): void {
    this.#closing ??= new AbortController();
  }

  close(): void {
    this.#closing?.abort(new TransportError("reset", `the API server of ${this.#name} has stopped`));
    this.#closing = undefined;
  }

  /** The same server behind this gate. */
  guard(handle: Handler): Handler {
    return (request) => {
      const closing = this.#closing;
      if (!closing)
        return Promise.reject(
          new TransportError("refused", `no healthy API server of ${this.#name} is behind its load balancer`),
        );
      return handle(isWatch(request) ? endedBy(request, closing.signal) : request);
    };
  }
}

/** Only watches are long-lived; the many other requests need no abort signal. */
export function isWatch({ path }: HttpRequest): boolean {
  return /[?&]watch=/.test(path);
}

function endedBy(request: HttpRequest, signal: AbortSignal): HttpRequest {
  return { ...request, signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal };
}
