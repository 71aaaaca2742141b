/** Answers to requests that ask for another protocol: a port-forward, or the reason why there is none. */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { HttpResponse } from "../transport.ts";
import { LONGEST_MESSAGE_BYTES, PORT_FORWARD_PROTOCOL, portForwardStream } from "./port-forward-stream.ts";

const ACCEPTOR = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: LONGEST_MESSAGE_BYTES,
  handleProtocols: (offered) => (offered.has(PORT_FORWARD_PROTOCOL) ? PORT_FORWARD_PROTOCOL : false),
});

/** A connection whose client asked for another protocol, with the bytes that came after its request. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Opens the tunnel that a handler answered with, or sends its answer. */
export async function answerUpgrade({ request, socket, head }: Upgrade, reply: HttpResponse): Promise<void> {
  const { tunnel, status, headers } = reply;
  if (!tunnel) return end(socket, { status, headers, body: await reply.text() });
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  if (!offered.includes(PORT_FORWARD_PROTOCOL)) {
    const body = `unable to upgrade: only the subprotocol ${PORT_FORWARD_PROTOCOL} of a WebSocket is served here`;
    return end(socket, { status: 400, headers: { "content-type": "text/plain" }, body });
  }
  ACCEPTOR.handleUpgrade(request, socket, head, (opened) => {
    tunnel.accept(portForwardStream(opened, { port: tunnel.port, end: "server" }));
  });
}

interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection that was taken out of Node's HTTP server is answered by hand, once. */
function end(socket: Duplex, { status, headers, body }: PlainAnswer): void {
  const lines = Object.entries({
    ...headers,
    connection: "close",
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}
