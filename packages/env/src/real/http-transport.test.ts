import { createServer as createTlsServer, get as httpsGet } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { TransportError } from "../transport.ts";
import { readLines } from "./body.ts";
import { serveHttp } from "./http-server.ts";
import { createHttpTransport } from "./http-transport.ts";
import { SELF_SIGNED } from "./self-signed.fixture.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(
  server: ReturnType<typeof createTcpServer> | ReturnType<typeof createTlsServer>,
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const get = (path = "/") => ({ method: "GET", path, headers: {} });
const failureOf = (error: unknown): string =>
  error instanceof TransportError ? error.failure : `not a TransportError: ${String(error)}`;

describe("the HTTP transport", () => {
  test("carries requests, bodies and streams to a handler and back", async () => {
    const server = await serveHttp(async ({ method, path, body }) => ({
      status: 201,
      headers: path === "/watch" ? { "transfer-encoding": "chunked" } : { "x-answer": "yes" },
      text: () => Promise.resolve(JSON.stringify({ method, path, body })),
      json: () => Promise.resolve(undefined),
      lines: async function* () {
        yield* await Promise.resolve([{ n: 1 }, { text: "zwölf — 十二" }]);
      },
    }));
    cleanups.push(() => server.close());
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${server.port}/prefix/` });
    cleanups.push(() => transport.close());
    const request = {
      method: "POST",
      path: "/a?b=c",
      headers: { "content-type": "application/json" },
      body: { x: "ü" },
    };
    const answer = await transport.request(request);
    expect([answer.status, answer.headers["x-answer"]]).toEqual([201, "yes"]);
    expect(await answer.json()).toEqual({ method: "POST", path: "/prefix/a?b=c", body: '{"x":"ü"}' });
  });

  test("serves HTTP/2 and HTTP/1.1 over TLS on one port, streams included", async () => {
    const versions: string[] = [];
    const server = await serveHttp(
      async () => ({
        status: 200,
        headers: { "transfer-encoding": "chunked" },
        text: () => Promise.resolve(""),
        json: () => Promise.resolve(undefined),
        lines: async function* () {
          yield* await Promise.resolve([{ line: 1 }, { line: 2 }]);
        },
      }),
      { tls: SELF_SIGNED },
    );
    cleanups.push(() => server.close());
    const transport = createHttpTransport({
      baseUrl: `https://localhost:${server.port}`,
      ca: SELF_SIGNED.cert,
    });
    cleanups.push(() => transport.close());
    const answer = await transport.request(get());
    expect(await Array.fromAsync(answer.lines())).toEqual([{ line: 1 }, { line: 2 }]);
    const old = await new Promise<string>((resolve) => {
      httpsGet({ port: server.port, host: "localhost", ca: SELF_SIGNED.cert }, (response) => {
        versions.push(response.httpVersion);
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => resolve(text));
      });
    });
    expect([versions, old]).toEqual([["1.1"], '{"line":1}\n{"line":2}\n']);
  });

  test("reads no more of a body than the limit, and one byte", async () => {
    const lengths: number[] = [];
    const server = await serveHttp(
      ({ body }) => {
        lengths.push((body as string).length);
        const none = { json: () => Promise.resolve(undefined), lines: () => [] as never };
        return Promise.resolve({
          status: 413,
          headers: {},
          text: () => Promise.resolve("too long"),
          ...none,
        });
      },
      { bodyLimitBytes: 10 },
    );
    cleanups.push(() => server.close());
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${server.port}` });
    const answer = await transport.request({ ...get(), method: "POST", body: "x".repeat(50_000) });
    expect([answer.status, await answer.text()]).toEqual([413, "too long"]);
    expect(lengths[0]).toBeGreaterThan(10);
    expect(lengths[0]).toBeLessThanOrEqual(50_000);
    await transport.close();
  });

  test("reports that no server answers", async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await cleanups.pop()?.();
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
    const error = await transport.request(get()).catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toBe("refused");
    expect(String(error)).toContain(`no server answers at http://127.0.0.1:${port}`);
  });

  test("reports that the certificate is not trusted", async () => {
    const server = createTlsServer(SELF_SIGNED, (_, response) => response.end("hello"));
    const port = await listen(server);
    const transport = createHttpTransport({ baseUrl: `https://127.0.0.1:${port}` });
    cleanups.push(() => transport.close());
    const error = await transport.request(get()).catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toBe("tls");
    expect(String(error)).toContain("check the CA bundle in the kubeconfig");
  });

  test("trusts the certificate it was given", async () => {
    const server = createTlsServer(SELF_SIGNED, (_, response) => response.end('{"ok":true}'));
    const port = await listen(server);
    const transport = createHttpTransport({
      baseUrl: `https://127.0.0.1:${port}`,
      ca: SELF_SIGNED.cert,
      serverName: "localhost",
    });
    const answer = await transport.request(get());
    expect(await answer.json()).toEqual({ ok: true });
    await transport.close();
  });

  test("reports that a connection broke in the middle", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly the beginning", () =>
        socket.destroy(),
      );
    });
    const port = await listen(server);
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
    const answer = await transport.request(get("/list"));
    const error = await answer.text().catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toBe("reset");
    expect(String(error)).toContain("broke during GET /list");
    await transport.close();
  });

  let listening: Promise<number>;
  test.each(["text", "lines"] as const)("ends an endless answer that is read as %s", async (how) => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      const server = createTcpServer((socket) => {
        const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
        const pour = (): void => {
          while (socket.writable && socket.write(chunk)) written += chunk.length;
        };
        socket.on("error", () => undefined).on("drain", pour);
        socket.once("close", () => resolve());
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          pour();
        });
      });
      listening = listen(server);
    });
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${await listening}` });
    const answerBytes = { remaining: 1_000_000 };
    const answer = await transport.request({ ...get("/endless"), answerBytes });
    const read = how === "text" ? answer.text() : Array.fromAsync(answer.lines());
    const error = await read.catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toBe("oversized");
    expect(String(error)).toContain("sent too long an answer to GET /endless");
    await closed;
    expect(written).toBeLessThan(20_000_000);
    await transport.close();
  });

  test("counts the answers of several requests against one budget", async () => {
    const server = createTlsServer(SELF_SIGNED, (_, response) => response.end("x".repeat(400)));
    const port = await listen(server);
    const transport = createHttpTransport({ baseUrl: `https://localhost:${port}`, ca: SELF_SIGNED.cert });
    const answerBytes = { remaining: 1000 };
    const lengths: unknown[] = [];
    for (let request = 0; request < 3; request++) {
      const answer = await transport.request({ ...get(), answerBytes });
      lengths.push(await answer.text().then((text) => text.length, failureOf));
    }
    expect(lengths).toEqual([400, 400, "oversized"]);
    await transport.close();
  });

  test("rejects with the reason of the signal when the caller aborts", async () => {
    const server = createTcpServer((socket) => void socket.on("error", () => undefined));
    const port = await listen(server);
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
    const abort = new AbortController();
    const pending = transport.request({ ...get(), signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
    await transport.close();
    await cleanups.pop()?.();
  });
});

describe("lines of a stream", () => {
  const linesOf = async (...chunks: Buffer[]): Promise<unknown[]> => {
    const source = async function* (): AsyncGenerator<Buffer> {
      yield* await Promise.resolve(chunks);
    };
    return Array.fromAsync(
      readLines(source(), { translate: (error) => error as Error, budget: { remaining: 10 } }),
    );
  };
  const bytes = Buffer.from('{"a":"é"}\n\n{"b":2}\n{"c":3}', "utf8");

  test("are the same for all chunk boundaries", async () => {
    const expected = [{ a: "é" }, { b: 2 }, { c: 3 }];
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await linesOf(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected);
    }
    expect(await linesOf(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  test("omit a last line that was cut off", async () => {
    expect(await linesOf(Buffer.from('{"a":1}\n{"b":'))).toEqual([{ a: 1 }]);
  });
});
