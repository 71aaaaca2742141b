import {
  type HttpResponse,
  type ListeningServer,
  serveHttp,
  type ServeOptions,
  TransportError,
} from "@capstan/env";
import type { Azure } from "../azure.ts";

// Templates of thousands of lines stay far below; ARM itself takes 4 MB.
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Serves a simulated Azure over HTTPS, with the caller's certificate, or over plain HTTP, to callers who live in their own time. */
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
        // A lost answer is silence: the connection stays open until the caller gives up.
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

/** To somebody from outside a fast cloud is done sooner: what it says of waiting is said in the caller's seconds. */
function forCaller(answer: HttpResponse, speed: number): HttpResponse {
  const wait = answer.headers["retry-after"];
  if (wait === undefined || speed === 1) return answer;
  const seconds = Math.max(1, Math.ceil(Number(wait) / speed));
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}
