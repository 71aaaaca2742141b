import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AdjustableClock, createRealEnv, withClock } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";
import { boundedTransport } from "./bounded-transport.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-silent-"));
const [plain, encrypted] = [join(folder, "http"), join(folder, "https")];
/** Accepts connections, and never answers. */
const silent = createServer((socket) => socket.on("error", () => socket.destroy()));

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  writeFileSync(plain, kubeconfig(`http://127.0.0.1:${port}`));
  writeFileSync(encrypted, kubeconfig(`https://127.0.0.1:${port}`));
});
afterAll(() => {
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

function kubeconfig(server: string): string {
  return stringify({
    "current-context": "main",
    clusters: [{ name: "here", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "me", user: {} }],
    contexts: [{ name: "main", context: { cluster: "here", user: "me" } }],
  });
}

/** A shell whose clock runs a thousand times faster: the server never answers, so no outcome depends on it. */
function fastShell() {
  const env = createRealEnv();
  const anchor = { wallMs: env.clock.now(), simMs: env.clock.now(), speed: 1000 };
  const clock = new AdjustableClock(env.clock, { anchor });
  return testShell({ env: withClock(env, clock), workingFolder: folder });
}

async function capstan(config: string, command: string) {
  const shell = fastShell();
  const code = await run([...command.split(" "), "--kubeconfig", config], shell);
  return { code, ...shell.written };
}

describe("a server that accepts connections and never answers", () => {
  test.each([
    ["get clusters"],
    ["describe cluster quay"],
    ["rollout status workers"],
    ["rollout pause workers"],
    ["prototype list"],
    ["init"],
  ])("ends %s after seconds, with one sentence", async (command) => {
    for (const config of [plain, encrypted]) {
      const { code, err } = await capstan(config, command);
      expect([code, err]).toEqual([
        1,
        `capstan: no answer within 12 s from the server of ${config}; check its address there, and that it runs\n`,
      ]);
    }
  });

  test("ends rollout status at its --timeout, with what it waited for", async () => {
    for (const name of ["workers", "md/workers"]) {
      const { code, err } = await capstan(encrypted, `rollout status ${name} --timeout 5s`);
      expect([code, err]).toEqual([
        1,
        "capstan: gave up after 5s: no answer from the server; check that it runs\n",
      ]);
    }
  });

  test("does not hold up the end of a command, even while it is being connected to", async () => {
    const stuck = { request: () => new Promise<never>(() => {}), close: () => new Promise<never>(() => {}) };
    await boundedTransport(createRealEnv(), stuck, "config").close();
  });

  test("does not hold up Ctrl-C", async () => {
    const shell = testShell({ workingFolder: folder });
    const ended = run(["rollout", "status", "workers", "--kubeconfig", plain], shell);
    silent.once("connection", () => shell.interrupt());
    expect(await ended).toBe(130);
  });
});
