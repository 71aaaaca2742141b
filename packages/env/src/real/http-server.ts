import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handler, HttpResponse } from "../transport.ts";
import { readText } from "./body.ts";

/** A server that listens. */
export interface ListeningServer {
  readonly port: number;
  /** Ends all connections, streams included. */
  close(): Promise<void>;
}

/** Serves a handler over plain HTTP on a loopback or given address; port 0 picks a free one. */
export async function serveHttp(
  handler: Handler,
  { host = "127.0.0.1", port = 0 } = {},
): Promise<ListeningServer> {
  const server = createServer((request, response) => {
    answer(handler, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(handler: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.once("close", () => closed.abort(new Error("the client closed the connection")));
  const text = await readText(request);
  const reply = await handler({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    ...(text !== "" && { body: parsed(text, request.headers["content-type"]) }),
    signal: closed.signal,
  });
  response.writeHead(reply.status, reply.headers);
  if (reply.headers["transfer-encoding"] === "chunked") await stream(reply, response);
  else response.end(await reply.text());
}

/** A JSON body arrives as a value, everything else as its text; what does not parse is left to the handler to refuse. */
function parsed(text: string, contentType = ""): unknown {
  if (!contentType.includes("json")) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Writes line by line and waits whenever the client is slower than we are. */
async function stream(reply: HttpResponse, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  for await (const line of reply.lines()) {
    if (response.destroyed) return;
    if (!response.write(`${JSON.stringify(line)}\n`)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
