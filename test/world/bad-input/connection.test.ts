import { createServer as createTlsServer, type Server } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { rootCertificates } from "node:tls";
import { Machine } from "@capstan/api";
import { createRealEnv, type HttpResponse, serveHttp } from "@capstan/env";
import { type Client, connectWithKubeconfig, createClient, Failure } from "@capstan/runtime";
import { afterEach, describe, expect, test } from "vitest";
import { SELF_SIGNED } from "../../../packages/env/src/real/self-signed.fixture.ts";
import { refusal } from "./troubled-world.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const name = { name: "m", namespace: "default" };

async function clientOf(server: string, { user = "{}", cluster = "" } = {}): Promise<Client> {
  const transport = await connectWithKubeconfig({
    origin: "/home/me/.kube/config",
    text: `apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: harbour, cluster: { server: "${server}"${cluster} } }]
contexts: [{ name: main, context: { cluster: harbour, user: captain } }]
users: [{ name: captain, user: ${user} }]
`,
  });
  cleanups.push(() => transport.close());
  return createClient({ transport, env: createRealEnv(), fieldManager: "capstan" });
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error("expected a failure, and there was none");
}

async function tlsServer(): Promise<string> {
  const server: Server = createTlsServer(SELF_SIGNED, (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ metadata: name }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PLAIN = ", insecure-skip-tls-verify: true";

describe("a cluster that cannot be reached", () => {
  test("because no server listens is named, with the next step", async () => {
    const blocker = createTcpServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as AddressInfo;
    await new Promise((resolve) => blocker.close(resolve));
    const client = await clientOf(`https://127.0.0.1:${port}`);
    const failure = await failureOf(client.get(Machine, name));
    expect(failure).toMatchObject({
      failure: "Transient",
      reason: "ServerUnreachable",
      outcomeUnknown: false,
    });
    expect(failure.message).toContain(`no server answers at https://127.0.0.1:${port}`);
    expect(failure.message).toContain("check the address, and that the server runs");
  });

  test.each([
    ["no CA", ""],
    ["the wrong CA", `, certificate-authority-data: ${base64(rootCertificates[0] ?? "")}`],
  ])("because its certificate is not trusted says so, with %s in the kubeconfig", async (_, cluster) => {
    const server = await tlsServer();
    const failure = await failureOf((await clientOf(server, { cluster })).get(Machine, name));
    expect(failure).toMatchObject({
      failure: "Transient",
      reason: "ServerUnreachable",
      outcomeUnknown: false,
    });
    expect(failure.message).toContain(`the certificate of ${server} is not trusted`);
    expect(failure.message).toContain("check the CA bundle in the kubeconfig");
  });

  test("is reached with the right CA", async () => {
    const cluster = `, certificate-authority-data: ${base64(SELF_SIGNED.cert)}`;
    const client = await clientOf(await tlsServer(), { cluster });
    expect((await client.get(Machine, name)).metadata.name).toBe("m");
  });
});

describe("a server over a real socket", () => {
  async function serving(answer: (authorization: string) => HttpResponse): Promise<string> {
    const server = await serveHttp(async ({ headers }) => answer(headers["authorization"] ?? ""));
    cleanups.push(() => server.close());
    return `http://127.0.0.1:${server.port}`;
  }

  test("that rejects the token is retried, and the message names the server", async () => {
    let isExpired = true;
    const server = await serving(() =>
      isExpired
        ? refusal(401, { reason: "Unauthorized", message: "Unauthorized" })
        : refusal(200, { metadata: name }),
    );
    const client = await clientOf(server, { user: "{ token: old }", cluster: PLAIN });
    const failure = await failureOf(client.get(Machine, name));
    expect(failure).toMatchObject({ failure: "Transient", reason: "Unauthorized" });
    expect(failure.message).toBe(
      "GET /apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/m: Unauthorized",
    );
    isExpired = false;
    expect((await client.get(Machine, name)).metadata.name).toBe("m");
  });

  test("that does not serve the kind leads to a message about its CustomResourceDefinition", async () => {
    const client = await clientOf(await serving(() => refusal(404, "404 page not found\n")), {
      cluster: PLAIN,
    });
    const failure = await failureOf(client.list(Machine));
    expect(failure).toMatchObject({ failure: "Transient", reason: "KindNotServed" });
    expect(failure.message).toContain("/apis/cluster.x-k8s.io/v1beta2/machines");
    expect(failure.message).toContain("is its CustomResourceDefinition installed?");
  });

  test("that is a proxy with a page in HTML is quoted", async () => {
    const client = await clientOf(await serving(() => refusal(502, "<html>Bad Gateway</html>")), {
      cluster: PLAIN,
    });
    const failure = await failureOf(client.list(Machine));
    expect(failure).toMatchObject({ failure: "Transient", reason: "HTTP502" });
    expect(failure.message).toContain("<html>Bad Gateway</html>");
  });

  test("that returns a login page leads to a message about invalid JSON", async () => {
    const client = await clientOf(await serving(() => refusal(200, "<html>Please log in</html>")), {
      cluster: PLAIN,
    });
    expect(await failureOf(client.list(Machine))).toMatchObject({
      failure: "Transient",
      reason: "UnreadableAnswer",
    });
  });

  test("that cuts a watch in the middle of a line delivers the earlier events and then fails", async () => {
    const line = `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } })}\n`;
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        const half = line.slice(0, 30);
        const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(line)}${chunk(half)}`,
          () => socket.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const client = await clientOf(`http://127.0.0.1:${port}`, { cluster: PLAIN });
    const seen: (string | undefined)[] = [];
    const read = async (): Promise<void> => {
      const { signal } = new AbortController();
      for await (const { object } of client.watch(Machine, {
        resourceVersion: "5",
        timeoutSeconds: 60,
        signal,
      }))
        seen.push(object.metadata.resourceVersion);
    };
    const failure = await failureOf(read());
    expect(seen).toEqual(["7"]);
    expect(failure).toMatchObject({ failure: "Transient", reason: "ServerUnreachable" });
    expect(failure.message).toContain("WATCH /apis/cluster.x-k8s.io/v1beta2/machines");
  });
});
