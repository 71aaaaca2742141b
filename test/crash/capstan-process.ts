import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "@capstan/env";
import { connectWithKubeconfig } from "@capstan/runtime";
import { launch, READY } from "../journeys/capstan.ts";

/** A running `capstan up`. */
export interface CapstanProcess {
  readonly pid: number;
  connect(): Promise<Transport>;
  /** Kills it like a power cut: at once, without any cleanup. */
  kill(): Promise<void>;
}

/** Starts `capstan up` on a data directory and a free port; `shell` comes before the command, such as a `ulimit`. */
export async function startCapstan(dataDir: string, { shell = "" } = {}): Promise<CapstanProcess> {
  const running = launch(["up", "--port", "0", "--data-dir", dataDir], { shell });
  await running.until(READY);
  const { child, ended } = running;
  return {
    pid: child.pid ?? 0,
    connect: () =>
      connectWithKubeconfig({ text: readFileSync(join(dataDir, "kubeconfig"), "utf8"), origin: dataDir }),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
