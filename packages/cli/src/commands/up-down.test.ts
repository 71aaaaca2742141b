import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster } from "@capstan/api";
import { createRealEnv, type Env, serveHttp } from "@capstan/env";
import { type Client, createClient, Informer, silentLogger } from "@capstan/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { connect, savedAccess } from "../cluster/transport.ts";
import { takeLock } from "../data-directory/lock.ts";
import { announceHolder, holderOf } from "../data-directory/holder.ts";
import { run } from "../program.ts";
import { testShell, type TestShell } from "../shell.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-up-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Resolves when a text has been written to the shell. */
function printed(shell: TestShell, text: string): Promise<void> {
  return new Promise((resolve) => {
    const write = shell.out.write.bind(shell.out);
    Object.assign(shell.out, {
      write: (more: string) => {
        write(more);
        if (shell.written.out.includes(text)) resolve();
      },
    });
  });
}

/** A `capstan up` in this process. */
async function serve(
  dataDir: string,
  ...flags: string[]
): Promise<{
  shell: TestShell;
  use: (work: (client: Client) => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
}> {
  const shell = testShell();
  const ready = printed(shell, "Ctrl-C");
  const ended = run(["up", "--port", "0", "--data-dir", dataDir, ...flags], shell);
  await ready;
  const use = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const access = savedAccess(dataDir, "management");
    if (!access) throw new Error("a server that is ready has a kubeconfig");
    const transport = connect(access);
    await work(createClient({ env: shell.env, transport, fieldManager: "user" }));
    await transport.close();
  };
  const stop = async (): Promise<void> => {
    shell.interrupt();
    expect([await ended, shell.written.err]).toEqual([0, ""]);
  };
  return { shell, use, stop };
}

/** Waits until the Clusters fulfil the predicate. */
async function untilClusters(client: Client, holds: (clusters: Informer<Cluster>) => boolean): Promise<void> {
  const ended = new AbortController();
  const options = { client, env: createRealEnv(), kind: Cluster, scope: {}, log: silentLogger };
  const clusters = new Informer<Cluster>({ ...options, onBug: (bug) => void Promise.reject(bug) });
  const running = clusters.run(ended.signal);
  expect(await clusters.waitUntil(() => holds(clusters), 30_000)).toBe(true);
  ended.abort();
  await running;
}

describe("up", () => {
  test("serves until it is interrupted, with ticks but no colours where NO_COLOR is set", async () => {
    const dataDir = join(root, "life");
    const shell = testShell({ isTerminal: true, variables: { NO_COLOR: "1" } });
    const ready = printed(shell, "Ctrl-C");
    const ended = run(["up", "--port", "0", "--data-dir", dataDir], shell);
    await ready;
    const asked = testShell();
    expect(await run(["status", "-o", "wide", "--data-dir", dataDir], asked)).toBe(0);
    expect(asked.written.out).toMatch(
      /^management {3}https:\/\/127\.0\.0\.1:\d+ {3}\d+ {8}True {4}\S+kubeconfig$/m,
    );
    const version = testShell();
    expect(await run(["version", "-o", "yaml", "--data-dir", dataDir], version)).toBe(0);
    expect(version.written.out).toMatch(/^server: v1\.\d+/m);
    shell.interrupt();
    expect(await ended).toBe(0);
    expect(shell.written.out).toContain(`✓ data directory ${dataDir} (new)\n`);
    expect(shell.written.out).toMatch(/stopping\n✓ stopped; all data is kept in .*\n$/);
    expect(shell.written.out).not.toContain("\u001B");
    // A window breaks longer lines within words; the example of tests has 100 columns.
    const wide = shell.written.out.split("\n").filter((line) => line.length > 100 && line.includes(", "));
    expect(wide).toEqual([]);
  });

  test("gives each Cluster an API server, keeps it over a restart, and removes it with the Cluster", async () => {
    const dataDir = join(root, "workloads");
    const first = await serve(dataDir);
    const metadata = { name: "demo", namespace: "default" };
    await first.use(async (client) => {
      // The controllers of this kind run elsewhere, so a stand-in serves the cluster.
      const controlPlaneRef = {
        apiGroup: "controlplane.example.com",
        kind: "OtherControlPlane",
        name: "demo",
      };
      await client.create(Cluster, { metadata, spec: { controlPlaneRef } });
      await untilClusters(client, ({ store }) => store.all()[0]?.spec.controlPlaneEndpoint !== undefined);
    });
    const before = testShell();
    expect(await run(["get", "kubeconfig", "demo", "--data-dir", dataDir], before)).toBe(0);
    expect(before.written.out).toMatch(/server: https:\/\/127\.0\.0\.1:\d+\/clusters\/demo$/m);
    await first.stop();

    const second = await serve(dataDir);
    expect(second.shell.written.out).toContain("workload clusters: 1, guests: 0\n");
    const status = testShell();
    expect(await run(["status", "--data-dir", dataDir], status)).toBe(0);
    expect(status.written.out).toMatch(/^demo +https:\S+\/clusters\/demo +\d+ +True$/m);
    await second.use(async (client) => {
      await client.delete(Cluster, metadata);
      await untilClusters(client, ({ store }) => store.all().length === 0);
    });
    await second.stop();

    const third = await serve(dataDir);
    expect(third.shell.written.out).toContain("workload clusters: 0, guests: 0\n");
    const after = testShell();
    expect(await run(["get", "kubeconfig", "demo", "--data-dir", dataDir], after)).toBe(1);
    expect(after.written.err).toContain(`there is no cluster "demo" in ${dataDir}; existing: management`);
    await third.stop();
  });

  test("reports that a port is in use and how to get another, and releases the directory", async () => {
    const dataDir = join(root, "busy");
    const other = await serveHttp(() => Promise.reject(new Error("no request is expected")));
    const shell = testShell();
    expect(await run(["up", "--port", String(other.port), "--data-dir", dataDir], shell)).toBe(1);
    await other.close();
    expect(shell.written.err).toBe(
      `capstan: port ${other.port} is in use; choose another, or let --port 0 pick a free one\n`,
    );
    expect(holderOf(dataDir)).toBeUndefined();
  });

  test("stops right after its start when it was interrupted before", async () => {
    const shell = testShell();
    shell.interrupt();
    expect(await run(["up", "--port", "0", "--data-dir", join(root, "brief")], shell)).toBe(0);
    expect(shell.written.out).toContain("stopped");
  });
});

describe("down", () => {
  /** A clock on which every sleep ends at once. */
  function hastyEnv(onSleep: () => void): Env {
    const env = createRealEnv();
    let nowMs = 0;
    const sleep = async (delayMs: number): Promise<void> => {
      nowMs += delayMs;
      onSleep();
    };
    return { ...env, clock: { ...env.clock, monotonic: () => nowMs, sleep } };
  }
  const held = (name: string): { dataDir: string; release: () => void } => {
    const dataDir = mkdtempSync(join(root, name));
    const release = takeLock(dataDir);
    if (!release) throw new Error("the lock of a new folder is free");
    return { dataDir, release };
  };

  test("signals the holder once, and waits until it has exited", async () => {
    const { dataDir, release } = held("once");
    announceHolder(dataDir, { pid: 12, since: "2026-01-01T00:00:00.000Z", url: "https://127.0.0.1:1" });
    let looks = 0;
    const env = hastyEnv(() => {
      if (++looks === 5) release();
    });
    const shell = testShell({ env });
    expect(await run(["down", "--data-dir", dataDir], shell)).toBe(0);
    expect([shell.terminated, looks]).toEqual([[12], 5]);
    expect(shell.written.out).toBe("stopped pid 12 since 2026-01-01T00:00:00.000Z, https://127.0.0.1:1\n");
  });

  test("signals no process before the holder has announced its pid", async () => {
    const { dataDir, release } = held("silent");
    let looks = 0;
    const shell = testShell({
      env: hastyEnv(() => {
        if (++looks === 3) announceHolder(dataDir, { pid: 13, since: "2026-01-01T00:00:00.000Z" });
      }),
      terminate: (pid) => {
        expect([pid, looks]).toEqual([13, 3]);
        release();
      },
    });
    expect(await run(["down", "--data-dir", dataDir], shell)).toBe(0);
  });

  test("reports what to do about a holder that does not stop, and removes nothing", async () => {
    const { dataDir, release } = held("stuck");
    announceHolder(dataDir, { pid: 14, since: "2026-01-01T00:00:00.000Z" });
    const shell = testShell({ env: hastyEnv(() => undefined) });
    expect(await run(["down", "--purge", "--data-dir", dataDir], shell)).toBe(1);
    expect(shell.written.err).toBe(
      `capstan: ${dataDir}: pid 14 has not stopped within 15 s; end it with: kill -9 14\n`,
    );
    release();
  });

  test("removes the data, and refuses while other files are in the directory", async () => {
    const { dataDir, release } = held("purged");
    release();
    writeFileSync(join(dataDir, "format"), "1\n");
    writeFileSync(join(dataDir, "notes.txt"), "mine");
    const refused = testShell();
    expect(await run(["down", "--purge", "--data-dir", dataDir], refused)).toBe(1);
    expect(refused.written.err).toBe(
      `capstan: ${dataDir} holds files that are not Capstan's (notes.txt); move them away first\n`,
    );
    expect(readdirSync(dataDir).toSorted()).toEqual(["format", "lock.db", "notes.txt"]);
    rmSync(join(dataDir, "notes.txt"));
    const shell = testShell();
    expect(await run(["down", "--purge", "--data-dir", dataDir], shell)).toBe(0);
    expect(await run(["down", "--purge", "--data-dir", dataDir], shell)).toBe(0);
    expect(shell.written.out).toBe(
      `nothing is running in ${dataDir}\nremoved ${dataDir}\nnothing is running in ${dataDir}\n${dataDir} does not exist\n`,
    );
  });

  test("reports which process it may not stop", async () => {
    const { dataDir, release } = held("foreign");
    announceHolder(dataDir, { pid: 15, since: "2026-01-01T00:00:00.000Z" });
    const shell = testShell({
      terminate: () => {
        throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
      },
    });
    expect(await run(["down", "--data-dir", dataDir], shell)).toBe(1);
    expect(shell.written.err).toBe(
      "capstan: pid 15 cannot be stopped by you (EPERM); ask its owner to stop it\n",
    );
    release();
  });
});

test("features stay on after a restart, until the flag says otherwise", async () => {
  const dataDir = join(root, "features");
  const started = async (...flags: string[]): Promise<string | undefined> => {
    const { shell, stop } = await serve(dataDir, ...flags);
    await stop();
    return /^features: .*$/m.exec(shell.written.out)?.[0];
  };
  expect(await started("--feature-gates", "InPlaceUpdates=true")).toBe("features: InPlaceUpdates");
  expect(await started()).toBe("features: InPlaceUpdates");
  expect(await started("--feature-gates", "InPlaceUpdates=false")).toBeUndefined();
  expect(await started()).toBeUndefined();
  expect(await run(["down", "--purge", "--data-dir", dataDir], testShell())).toBe(0);
  expect(readdirSync(root)).not.toContain("features");
});
