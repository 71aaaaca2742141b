import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "@capstan/env";
import { isWatch } from "./gate.ts";

/** A transport that can be closed for good: its watches end, and every later request fails. */
export interface Breakable extends Transport {
  break(why: string): void;
}

/** Closes a transport with its server, as a network connection would close by itself. */
export function breakable(transport: Transport): Breakable {
  const broken = new AbortController();
  const request = async (asked: HttpRequest): Promise<HttpResponse> => {
    if (broken.signal.aborted) throw broken.signal.reason;
    if (!isWatch(asked)) return await transport.request(asked);
    const signal = asked.signal ? AbortSignal.any([asked.signal, broken.signal]) : broken.signal;
    return await transport.request({ ...asked, signal });
  };
  return {
    request,
    close: () => Promise.resolve(),
    break: (why) => broken.abort(new TransportError("reset", why)),
  };
}
