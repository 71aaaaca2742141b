import { Namespace } from "@capstan/api";
import { clockOfOthers, type Env } from "@capstan/env";
import type { Client, MetricRegistry } from "@capstan/runtime";
import { connectToExtension } from "../../in-place/hooks/connect.ts";
import { type ConnectToExtension, createHookClient } from "../../in-place/hooks/hook-client.ts";
import type { UpdaterPorts } from "../../in-place/hooks/updaters.ts";
import { cachedAnswers } from "../cached-answers.ts";

/** The access to updaters. */
export interface UpdaterAccess {
  /** Opens connections; over TLS unless given. */
  readonly connect?: ConnectToExtension;
  /** How long an updater may take for one machine; 30 minutes unless given. */
  readonly updateTimeoutMs?: number;
}

export interface UpdaterPortsOptions {
  readonly env: Env;
  readonly client: Client;
  readonly updaters?: UpdaterAccess | undefined;
  readonly metrics?: MetricRegistry | undefined;
  /** Throws when this process must not write any more. */
  readonly assertMayWrite: () => void;
}

const DEFAULT_UPDATE_TIMEOUT_MS = 30 * 60_000;
const LABELS_MS = 30_000;

/** Connects controllers to updaters. */
export function updaterPorts(options: UpdaterPortsOptions): { readonly updaters: UpdaterPorts } {
  const { env, client, metrics, assertMayWrite, updaters = {} } = options;
  const { connect = connectToExtension(), updateTimeoutMs = DEFAULT_UPDATE_TIMEOUT_MS } = updaters;
  const labelsOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
    (await client.find(Namespace, { name }))?.metadata.labels ?? {};
  return {
    updaters: {
      hooks: createHookClient({ clock: clockOfOthers(env.clock), connect, assertMayWrite, metrics }),
      namespaceLabels: cachedAnswers(labelsOf, { clock: env.clock, forMs: LABELS_MS }),
      updateTimeoutMs,
    },
  };
}
