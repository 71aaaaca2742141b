import { Agent, createServer, request as httpsRequest } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import type { ControlPlane } from "./control-plane.ts";

/** A write of a client, before it reaches kube-apiserver. */
export interface ProxiedWrite {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: string;
}

/** What happens to a write: it is forwarded, or its client is killed before the server has it or before it has the answer. */
export type Fate = "forward" | "killBefore" | "killAfter";

/** A proxy in front of kube-apiserver. */
export interface RequestProxy extends Pick<ControlPlane, "url" | "ca"> {
  close(): Promise<void>;
}

/** Forwards requests one by one, and asks about each write. `kill` ends the client, which never gets an answer to that write. */
export async function startRequestProxy(
  plane: Pick<ControlPlane, "url" | "ca">,
  { fateOf, kill }: { readonly fateOf: (write: ProxiedWrite) => Fate; readonly kill: () => void },
): Promise<RequestProxy> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const agent = new Agent({ keepAlive: true, ca: plane.ca });
  const forward = (asked: IncomingMessage, body: string | undefined, answered: Answered): void => {
    const { method, headers } = asked;
    const sent = httpsRequest(new URL(asked.url ?? "/", plane.url), { method, headers, agent }, answered);
    sent.on("error", () => asked.destroy());
    asked.on("close", () => sent.destroy());
    sent.end(body);
  };
  const handle = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const copy: Answered = (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    };
    const { method = "", url = "" } = asked;
    if (method === "GET") return forward(asked, undefined, copy);
    const body = await text(asked);
    const [path = ""] = url.split("?");
    const fate = fateOf({ method, path, body });
    if (fate === "killBefore") return kill();
    forward(asked, body, fate === "killAfter" ? () => kill() : copy);
  };
  const server = createServer(tls, (asked, answer) => {
    answer.on("error", () => undefined);
    void handle(asked, answer).catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    ca: authority.cert,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Answered = (from: IncomingMessage) => void;
