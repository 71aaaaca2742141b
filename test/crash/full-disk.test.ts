import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { type CapstanProcess, startCapstan } from "./capstan-process.ts";

const EIGHT_MEGABYTES = "ulimit -f 8192;";
const FILLER = "x".repeat(200_000);

async function withClient<T>(capstan: CapstanProcess, use: (client: Client) => Promise<T>): Promise<T> {
  const transport = await capstan.connect();
  try {
    return await use(createClient({ transport, env: createRealEnv(), fieldManager: "test" }));
  } finally {
    await transport.close();
    await capstan.kill();
  }
}

/** Creates objects until the server refuses one; returns the stored names and the refusal. */
async function fill(client: Client): Promise<{ names: string[]; refusal: unknown }> {
  const names: string[] = [];
  for (;;) {
    const name = `filler-${names.length}`;
    try {
      await client.create(ConfigMap, { metadata: { name, namespace: "default" }, data: { FILLER } });
      names.push(name);
    } catch (refusal) {
      return { names, refusal };
    }
  }
}

test("a full disk is a clear refusal, and every acknowledged write is still stored afterwards", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-full-"));
  const dataDir = join(folder, "data");
  try {
    const { names, refusal } = await withClient(
      await startCapstan(dataDir, { shell: EIGHT_MEGABYTES }),
      async (client) => {
        const filled = await fill(client);
        // Reads still work, and the refused object does not exist.
        expect(await client.list(ConfigMap, { namespace: "default" })).toHaveLength(filled.names.length);
        return filled;
      },
    );
    expect(names.length).toBeGreaterThan(3);
    expect(String(refusal)).toMatch(/could not be stored|disk|space|write/i);
    const after = await withClient(await startCapstan(dataDir), async (client) => {
      await client.create(ConfigMap, { metadata: { name: "roomy", namespace: "default" } });
      return await client.list(ConfigMap, { namespace: "default" });
    });
    expect(after.map(({ metadata }) => metadata.name)).toEqual([...names, "roomy"].sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
