import { createHttpHeaders, type HttpClient, type PipelineRequest } from "@azure/core-rest-pipeline";
import { abortError, type Transport } from "@capstan/env";

/** Returns the transport to a server by its origin, such as `https://management.azure.com`. */
export type Connect = (origin: string) => Transport;

// A page of a thousand instances has less than 4 MB; a much larger body is not from Azure.
const LARGEST_BODY = 64 * 1024 * 1024;

/** Lets Azure's libraries send their requests over our transports, without sockets, timers or retries of their own. */
export function httpClientOver(connect: Connect): HttpClient {
  return {
    sendRequest: async (request) => {
      const url = new URL(request.url);
      // The library's type is a part of the real one, and callers always pass a real AbortSignal.
      const signal = request.abortSignal as AbortSignal | undefined;
      if (signal?.aborted) throw abortError(signal);
      const response = await connect(url.origin).request({
        method: request.method,
        path: url.pathname + url.search,
        headers: headersOf(request),
        ...(request.body !== undefined && request.body !== null && { body: bodyOf(request) }),
        ...(signal && { signal }),
        answerBytes: { remaining: LARGEST_BODY },
      });
      return {
        request,
        status: response.status,
        headers: createHttpHeaders(response.headers),
        bodyAsText: await response.text(),
      };
    },
  };
}

/** Our transports do not decompress bodies, so compression must not be requested. */
function headersOf({ headers }: PipelineRequest): Record<string, string> {
  const { "accept-encoding": _, ...rest } = headers.toJSON();
  return rest;
}

function bodyOf({ body }: PipelineRequest): string | Uint8Array {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError("only text and bytes can be sent");
}
