/** What kube-apiserver asks of a kubelet for a port-forward, and nothing else. Written from Kubernetes' description of it, not with our own code. */
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { type WebSocket, WebSocketServer } from "ws";

/** One port-forward, as a test may treat it. */
interface Forward {
  readonly pod: string;
  readonly client: WebSocket;
  /** The connection to the server in the pod. */
  readonly server: Socket;
}

/** A kubelet that forwards ports of its pods. */
export interface KubeletStandIn {
  readonly port: number;
  /** Where each pod's server listens on loopback. */
  readonly ports: Map<string, number>;
  /** Runs for each port-forward that is opened. */
  onForward: (forward: Forward) => void;
  /** How many were opened. */
  readonly opened: () => number;
  stop(): Promise<void>;
}

const PATH = /^\/portForward\/[^/]+\/(?<pod>[^/?]+)\?port=(?<port>\d+)$/;
const [DATA, ERROR] = [0, 1];

/** Listens on loopback, with a certificate that kube-apiserver does not verify. */
export async function startKubelet(): Promise<KubeletStandIn> {
  const env = createRealEnv();
  const tls = await issueCertificate(env, await createAuthority(env), {
    type: "server",
    hosts: ["127.0.0.1"],
  });
  const server = createServer(tls);
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
  const ports = new Map<string, number>();
  let opened = 0;
  const kubelet: KubeletStandIn = {
    get port() {
      return (server.address() as AddressInfo).port;
    },
    ports,
    onForward: () => undefined,
    opened: () => opened,
    stop: () =>
      new Promise((done) => {
        for (const client of sockets.clients) client.terminate();
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  server.on("upgrade", (request, socket, head) => {
    const { pod = "", port = "" } = PATH.exec(request.url ?? "")?.groups ?? {};
    sockets.handleUpgrade(request, socket, head, (client) => {
      opened++;
      const target = ports.get(pod);
      const greeting = Buffer.alloc(2);
      greeting.writeUInt16LE(Number(port));
      for (const channel of [DATA, ERROR]) client.send(Buffer.concat([Buffer.of(channel), greeting]));
      if (target === undefined) {
        client.send(Buffer.concat([Buffer.of(ERROR), Buffer.from(`no server in ${pod} on port ${port}`)]));
        return client.close();
      }
      forward(client, connect(target, "127.0.0.1"), (started) => kubelet.onForward({ ...started, pod }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return kubelet;
}

function forward(client: WebSocket, server: Socket, started: (forward: Omit<Forward, "pod">) => void): void {
  client.on("message", (message: Buffer) => server.write(message.subarray(1)));
  client.on("close", () => server.destroy());
  server.on("data", (bytes) => client.send(Buffer.concat([Buffer.of(DATA), bytes])));
  server.on("error", () => client.terminate());
  server.on("close", () => client.close());
  started({ client, server });
}
