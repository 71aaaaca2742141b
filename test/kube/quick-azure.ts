import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { type Azure, createAzure, type JournalEntry, latenciesAt, serveAzure } from "@capstan/azure-sim";
import { createRealEnv, type Env } from "@capstan/env";

const TIMES_AS_FAST = 40;

/** A simulated Azure that does everything faster and has the same time as everybody. */
export interface QuickAzure {
  readonly endpoint: string;
  /** The file with the authority of its certificate. */
  readonly ca: string;
  /** The ids of everything in it. */
  readonly resources: () => readonly string[];
  /** The machines that run, by their provider ids in small letters, each with what tells this boot of it from others. */
  readonly machines: () => ReadonlyMap<string, string>;
  /** What was asked for and changes something. */
  readonly writes: () => readonly JournalEntry[];
  readonly stop: () => Promise<void>;
}

/**
 * Starts a simulated Azure in this process. One with a faster clock would make machines at a time that the rest has not
 * come to yet: a Node that is older than its machine is not believed to be it.
 */
export async function startQuickAzure(): Promise<QuickAzure> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const azure = createQuickAzure();
  const server = await serveAzure(azure, { tls });
  const folder = mkdtempSync(join(tmpdir(), "capstan-azure-"));
  const ca = join(folder, "ca.crt");
  writeFileSync(ca, authority.cert);
  return {
    endpoint: `https://127.0.0.1:${server.port}`,
    ca,
    resources: () => azure.control.state().resources.map(({ id }) => id),
    machines: () => runningIn(azure),
    writes: () => azure.control.journal(0).filter(({ method }) => method !== "GET"),
    stop: async () => {
      await server.close();
      azure.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The cloud alone, without a server. */
export function createQuickAzure(env: Env = createRealEnv()): Azure {
  return createAzure({ env, seed: "quick", settings: { latencies: latenciesAt(TIMES_AS_FAST) } });
}

/** The machines that run, as in `QuickAzure`. */
export function runningIn({ core }: Azure): ReadonlyMap<string, string> {
  const machines = [...core.world.scaleSets.instances.entries()].map(([, instance]) => instance);
  return new Map(
    machines
      .filter(({ state, power }) => state === "Succeeded" && power === "running")
      .map(({ set, id, vmId, flight }) => [
        `azure://${set}/virtualMachines/${id}`.toLowerCase(),
        `${vmId}-${flight}`,
      ]),
  );
}
