/** A simulated Azure as a process of its own, for tests that kill it: `node sim-process.ts FOLDER`. Prints its port. */
import { createAzure, openSqliteStore, serveAzure } from "@capstan/azure-sim";
import { createRealEnv } from "@capstan/env";

const folder = process.argv[2] ?? "";
const azure = createAzure({
  env: createRealEnv(),
  seed: "durable",
  store: openSqliteStore(folder),
  settings: { controlToken: "open" },
});
const server = await serveAzure(azure);
console.log(`port ${server.port}`);
