import { type ListeningServer, serveHttp, type ServeOptions, TransportError } from "@capstan/env";
import type { Azure } from "../azure.ts";

// Templates of thousands of lines stay far below; ARM itself takes 4 MB.
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Serves a simulated Azure over HTTPS, with the caller's certificate, or over plain HTTP. */
export async function serveAzure(azure: Azure, options: ServeOptions = {}): Promise<ListeningServer> {
  const scheme = options.tls ? "https" : "http";
  let fallback = "";
  const server = await serveHttp(
    async (request) => {
      const host = request.headers["host"];
      try {
        return await azure.handle(request, host === undefined ? fallback : `${scheme}://${host}`);
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
