/** One port of a Kubernetes port-forward as a stream of bytes, over a WebSocket with the subprotocol v4.channel.k8s.io. */
import { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";

/** The subprotocol that API servers pass through and kubelets serve. */
export const PORT_FORWARD_PROTOCOL = "v4.channel.k8s.io";
/** The longest message that is read. */
export const LONGEST_MESSAGE_BYTES = 1024 * 1024;
// As much as kubelets send at a time.
const MESSAGE_BYTES = 32 * 1024;

// The first byte of a message is its channel: of a single port, 0 carries data in both directions, and 1 errors to the client.
const DATA = 0;
const ERROR = 1;
const LONGEST_REASON = 200;

/** The port, and which end of the connection the stream is. */
export interface PortForwardEnd {
  readonly port: number;
  readonly end: "client" | "server";
}

/** The stream of an open WebSocket. It ends with the WebSocket, and an error that the server reports destroys it. */
export function portForwardStream(socket: WebSocket, { port, end }: PortForwardEnd): Duplex {
  // The first message of each channel is the port, and only the server sends it.
  const greeting = end === "client" ? new Set([DATA, ERROR]) : new Set<number>();
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => send(socket, chunk, done),
    final: (done) => {
      socket.close(1000);
      done();
    },
    destroy: (error, done) => {
      socket.terminate();
      done(error);
    },
  });
  socket.on("message", (data) => {
    const message = bytesOf(data);
    const channel = message[0] ?? -1;
    const content = message.subarray(1);
    if (greeting.delete(channel)) {
      if (!isPort(content, port)) stream.destroy(new Error(`the server forwards another port than ${port}`));
    } else if (channel === DATA) {
      if (content.length > 0 && !stream.push(content)) socket.pause();
    } else if (channel === ERROR) stream.destroy(new Error(reasonIn(content)));
    else stream.destroy(new Error(`the server sent a message on channel ${channel}`));
  });
  socket.once("close", () => stream.push(null));
  socket.once("error", (error) => stream.destroy(error));
  if (end === "server") for (const channel of [DATA, ERROR]) socket.send(framed(channel, portBytes(port)));
  return stream;
}

/** Sends bytes in messages that the other end accepts; the last one says when more may follow. */
function send(socket: WebSocket, bytes: Buffer, done: (error?: Error) => void): void {
  if (socket.readyState !== socket.OPEN) return done(new Error("it was closed"));
  let start = 0;
  for (; start + MESSAGE_BYTES < bytes.length; start += MESSAGE_BYTES)
    socket.send(framed(DATA, bytes.subarray(start, start + MESSAGE_BYTES)));
  socket.send(framed(DATA, bytes.subarray(start)), done);
}

function framed(channel: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(channel), content]);
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}

function isPort(content: Buffer, port: number): boolean {
  return content.length === 2 && content.readUInt16LE() === port;
}

function reasonIn(content: Buffer): string {
  const text = content.toString("utf8").trim();
  return text === "" ? "the server reports an error without a reason" : text.slice(0, LONGEST_REASON);
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
