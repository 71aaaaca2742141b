import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRealEnv } from "@capstan/env";
import { type Client, connectWithKubeconfig, createClient } from "@capstan/runtime";
import { launch, READY, type Running } from "../journeys/capstan.ts";

/** A running `capstan up`, and a client of its management cluster. */
export interface Started {
  readonly running: Running;
  readonly client: Client;
}

/** Starts this release on a data directory, with the features of the release that made it. */
export async function startOn(dataDir: string): Promise<Started> {
  const gates = "InPlaceUpdates=true,NodePrototyping=true";
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, "--feature-gates", gates]);
  await running.until(READY);
  const text = readFileSync(join(dataDir, "kubeconfig"), "utf8");
  const transport = await connectWithKubeconfig({ text, origin: dataDir });
  return { running, client: createClient({ transport, env: createRealEnv(), fieldManager: "test" }) };
}
