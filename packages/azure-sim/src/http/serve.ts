import {
  type HttpResponse,
  type ListeningServer,
  serveHttp,
  type ServeOptions,
  TransportError,
} from "@capstan/env";
import type { Azure } from "../azure.ts";

// Templates of thousands of lines stay far below this; ARM itself accepts 4 MB.
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Serves a simulated Azure over HTTPS with the given certificate, or over plain HTTP, to callers with their own clock. */
export async function serveAzure(azure: Azure, options: ServeOptions = {}): Promise<ListeningServer> {
  const scheme = options.tls ? "https" : "http";
  let fallback = "";
  const server = await serveHttp(
    async (request) => {
      const host = request.headers["host"];
      const origin = host === undefined ? fallback : `${scheme}://${host}`;
      const { callerMs, speed } = azure.control;
      try {
        return forCaller(await azure.handle(request, { origin, callerMs }), speed);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        // A lost answer is silence: the connection stays open until the caller closes it.
        return await new Promise((_, reject) => {
          request.signal?.addEventListener("abort", () => reject(error), { once: true });
        });
      }
    },
    { bodyLimitBytes: BODY_LIMIT_BYTES, ...options },
  );
  fallback = `${scheme}://${options.host ?? "127.0.0.1"}:${server.port}`;
  return server;
}

/**
 * Converts Retry-After to the caller's seconds: a cloud whose clock runs faster is done sooner for a caller from outside.
 */
function forCaller(answer: HttpResponse, speed: number): HttpResponse {
  const wait = answer.headers["retry-after"];
  if (wait === undefined || speed === 1) return answer;
  const seconds = Math.max(1, Math.ceil(Number(wait) / speed));
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}
