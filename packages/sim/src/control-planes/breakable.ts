import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "@capstan/env";

/** A transport that can be broken for good: watches end, and nothing gets through any more. */
export interface Breakable extends Transport {
  break(why: string): void;
}

/** Makes a transport end with its server, as connections over a wire do by themselves. */
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

/** Only watches last; a signal made for each of the many other requests would be for nothing. */
function isWatch({ path }: HttpRequest): boolean {
  return /[?&]watch=/.test(path);
}
