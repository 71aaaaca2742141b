import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStorage } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { startEmbedded } from "./embedded-server.ts";
import { conformance } from "./suite.ts";

conformance("the embedded API server with its objects on disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-conformance-"));
  const storage = openSqliteStorage({ env: createRealEnv(), path: join(folder, "objects.db") });
  const server = await startEmbedded(storage);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
