/** A server with a fleet in it, in a process of its own, so that its work does not count as the reader's. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";

/** A running fleet server. */
export interface FleetServer {
  readonly url: string;
  stop(): void;
}

/** Starts the server and waits until its fleet is complete. */
export async function startFleetServer(): Promise<FleetServer> {
  const script = join(import.meta.dirname, "fleet-server.ts");
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const url = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the fleet server ended with ${code}`)));
  });
  return { url, stop: () => void child.kill() };
}
