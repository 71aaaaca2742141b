import type { AzureClusterIdentity, Frozen } from "@capstan/api";
import { AzureError } from "../port.ts";
import { namespaceProblem } from "./allowed-namespaces.ts";
import { acquireToken, type EntraPorts } from "./entra.ts";
import { findProof, type SecretPorts } from "./proof.ts";
import { renewedTokens } from "./renewal.ts";
import type { TokenSource } from "./token-source.ts";

export interface IdentityPorts extends SecretPorts, EntraPorts {
  /** The labels of a namespace, for selectors; undefined when it does not exist. */
  readonly namespaceLabels: (name: string) => Promise<Readonly<Record<string, string>> | undefined>;
}

interface Known {
  readonly fingerprint: string;
  readonly tokens: TokenSource;
}

// One for every tenant and cluster is common; beyond this number the least recently used one is dropped.
const MOST_IDENTITIES = 1000;

/** The tokens of AzureClusterIdentities, cached for each identity as long as its credential is the same. */
export class Identities {
  readonly #ports: IdentityPorts;
  readonly #known = new Map<string, Known>();

  constructor(ports: IdentityPorts) {
    this.#ports = ports;
  }

  /**
   * The tokens of an identity for a cluster in a namespace. The allowed namespaces and the Secret are checked each time, so
   * that a revoked permission or a changed password takes effect at once. Only while the identity itself is being deleted
   * the Secret may be missing: a user who deletes all objects at once deletes the Secret first.
   */
  async tokensFor(identity: Frozen<AzureClusterIdentity>, namespace: string): Promise<TokenSource> {
    await this.#checkNamespace(identity, namespace);
    const { tenantID, clientID, type } = identity.spec;
    const { metadata } = identity;
    const key = [metadata.namespace, metadata.name, metadata.uid, type, tenantID, clientID].join("\n");
    const found = await findProof(identity, this.#ports).catch((error: unknown) => {
      const kept = metadata.deletionTimestamp === undefined ? undefined : this.#known.get(key);
      if (kept) return kept;
      throw error;
    });
    if ("tokens" in found) return found.tokens;
    const { proof, fingerprint } = found;
    const known = this.#known.get(key);
    this.#known.delete(key);
    const entry =
      known?.fingerprint === fingerprint ? known : this.#create({ tenantID, clientID, proof }, fingerprint);
    this.#known.set(key, entry);
    if (this.#known.size > MOST_IDENTITIES) this.#known.delete(this.#known.keys().next().value ?? key);
    return entry.tokens;
  }

  #create(applicant: Parameters<typeof acquireToken>[0], fingerprint: string): Known {
    const tokens = renewedTokens({
      principal: `${applicant.tenantID}/${applicant.clientID}`.toLowerCase(),
      clock: this.#ports.env.clock,
      acquire: () => this.#ports.acquire?.(applicant) ?? acquireToken(applicant, this.#ports),
    });
    return { fingerprint, tokens };
  }

  async #checkNamespace(identity: Frozen<AzureClusterIdentity>, name: string): Promise<void> {
    const needsLabels = identity.spec.allowedNamespaces?.selector !== undefined;
    const labels = needsLabels ? ((await this.#ports.namespaceLabels(name)) ?? {}) : {};
    const problem = namespaceProblem(identity, { name, labels });
    if (problem !== undefined) {
      throw new AzureError({ class: "Auth", code: "NamespaceNotAllowed", message: problem });
    }
  }
}
