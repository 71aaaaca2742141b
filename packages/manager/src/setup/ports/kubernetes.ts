import { Secret } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import type { SecretPorts } from "@capstan/azure";
import { cachedAnswers } from "../cached-answers.ts";

/** Reads a Secret of the management cluster; undefined when it does not exist. */
export type ReadSecret = SecretPorts["readSecret"];

/** What controllers read from the management cluster in addition to their cache. */
export interface KubernetesPorts {
  /** The Secret as it was at most 30 s ago; that it does not exist, at most 3 s ago. */
  readonly readSecret: ReadSecret;
}

// As long as a kubelet takes to notice a change, and short enough that a new password works soon.
const SECRET_MS = 30_000;
// The first machine of a control plane may start in this time, and needs the kubeconfig that did not exist a moment ago.
const MISSING_SECRET_MS = 3_000;

/** Reads Secrets live and caches the answer briefly: an informer would need to list the Secrets of all users. */
export function kubernetesPorts({ clock }: Pick<Env, "clock">, client: Client): KubernetesPorts {
  const read = (namespace: string, name: string) => client.find(Secret, { namespace, name });
  return { readSecret: cachedAnswers(read, { clock, forMs: SECRET_MS, nothingForMs: MISSING_SECRET_MS }) };
}
