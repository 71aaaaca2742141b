import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

/** A pod of the Service, as far as a connection to it goes. */
interface Endpoint {
  /** Where its webhooks listen, on loopback. */
  readonly port: number;
  /** Whether its readiness probe succeeds now; a pod that is not ready gets no connections. */
  readonly isReady: () => Promise<boolean>;
}

/** Stands in for a Service and its endpoints: kube-apiserver connects through it. */
export interface ServiceRoute {
  readonly socket: string;
  /** The pods, in the order in which they are tried. */
  readonly endpoints: Endpoint[];
  /** How many connections found no pod that is ready. */
  readonly refused: () => number;
  close(): Promise<void>;
}

/** Serves CONNECT on a socket, and hands each connection to the first endpoint that is ready and takes it. */
export async function startServiceRoute(socket: string): Promise<ServiceRoute> {
  const endpoints: Endpoint[] = [];
  let refused = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => undefined).once("close", () => open.delete(client));
    let head = "";
    const read = (chunk: Buffer): void => {
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      client.off("data", read).pause();
      void connected(endpoints).then((target) => {
        if (!target) {
          refused++;
          client.end("HTTP/1.1 503 Service Unavailable\r\n\r\n");
          return;
        }
        target.on("error", () => client.destroy()).once("close", () => client.destroy());
        client.once("close", () => target.destroy());
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(target).pipe(client);
      });
    };
    client.on("data", read);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    endpoints,
    refused: () => refused,
    close: async () => {
      for (const client of open) client.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(socket, { force: true });
    },
  };
}

async function connected(endpoints: readonly Endpoint[]): Promise<Socket | undefined> {
  for (const { port, isReady } of endpoints) {
    if (!(await isReady().catch(() => false))) continue;
    const target = connect({ port, host: "127.0.0.1" });
    const isOpen = await new Promise<boolean>((resolve) => {
      target.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    if (isOpen) return target;
  }
  return undefined;
}
