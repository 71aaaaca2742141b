/** A simulated Azure as a process of its own, for tests that kill it: `node sim-process.ts FOLDER`. Prints its port. */
import { createAzure, openSqliteStore, serveAzure } from "@capstan/azure-sim";
import { AdjustableClock, createRealEnv } from "@capstan/env";

const folder = process.argv[2] ?? "";
const env = createRealEnv();
const azure = createAzure({
  env,
  clock: new AdjustableClock(env.clock),
  seed: "durable",
  store: openSqliteStore(folder),
  settings: { controlToken: "open" },
});
const server = await serveAzure(azure);
console.log(`port ${server.port}`);
