import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealEnv, type Env, serveHttp } from "@capstan/env";
import { afterAll, describe, expect, test } from "vitest";
import { takeLock } from "../data-directory/lock.ts";
import { announceHolder, holderOf } from "../data-directory/holder.ts";
import { run } from "../program.ts";
import { testShell, type TestShell } from "../shell.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-up-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Resolves when the shell has been written a text. */
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
    expect(shell.written.out).toMatch(/stopping\n✓ stopped; everything is kept in .*\n$/);
    expect(shell.written.out).not.toContain("\u001B");
  });

  test("says that a port is in use and how to get another, and leaves the directory free", async () => {
    const dataDir = join(root, "busy");
    const other = await serveHttp(() => Promise.reject(new Error("nobody asks")));
    const shell = testShell();
    expect(await run(["up", "--port", String(other.port), "--data-dir", dataDir], shell)).toBe(1);
    await other.close();
    expect(shell.written.err).toBe(
      `capstan: port ${other.port} is in use; choose another, or let --port 0 pick a free one\n`,
    );
    expect(holderOf(dataDir)).toBeUndefined();
  });

  test("stops as soon as it has started when it was interrupted before", async () => {
    const shell = testShell();
    shell.interrupt();
    expect(await run(["up", "--port", "0", "--data-dir", join(root, "brief")], shell)).toBe(0);
    expect(shell.written.out).toContain("stopped");
  });
});

describe("down", () => {
  /** A clock on which any sleep is over at once. */
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

  test("asks the holder once, and waits until it is gone", async () => {
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

  test("asks nobody before the holder has said who it is", async () => {
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

  test("says what to do about a holder that does not stop, and removes nothing", async () => {
    const { dataDir, release } = held("stuck");
    announceHolder(dataDir, { pid: 14, since: "2026-01-01T00:00:00.000Z" });
    const shell = testShell({ env: hastyEnv(() => undefined) });
    expect(await run(["down", "--purge", "--data-dir", dataDir], shell)).toBe(1);
    expect(shell.written.err).toBe(
      `capstan: ${dataDir}: pid 14 has not stopped within 15 s; end it with: kill -9 14\n`,
    );
    release();
  });

  test("removes what was kept, and refuses while there is something else beside it", async () => {
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
      `nothing is running in ${dataDir}\nremoved ${dataDir}\nnothing is running in ${dataDir}\nnothing is kept in ${dataDir}\n`,
    );
  });

  test("says whose process it may not stop", async () => {
    const { dataDir, release } = held("foreign");
    announceHolder(dataDir, { pid: 15, since: "2026-01-01T00:00:00.000Z" });
    const shell = testShell({
      terminate: () => {
        throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
      },
    });
    expect(await run(["down", "--data-dir", dataDir], shell)).toBe(1);
    expect(shell.written.err).toBe(
      "capstan: pid 15 cannot be stopped by you (EPERM); ask whoever started it\n",
    );
    release();
  });
});
