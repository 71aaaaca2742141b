import type { Clock } from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import type { Credential } from "../../certificates/credential.ts";
import type { CertificateIssuer, KeyAlgorithm } from "../../cluster-certificates/issuer.ts";

/** A client certificate for etcd, and the authority that signed it. */
export interface EtcdCredential {
  readonly authority: string;
  readonly certificate: string;
  readonly key: Sensitive;
}

interface Kept {
  readonly credential: EtcdCredential;
  readonly madeMs: number;
}

const DAY_MS = 24 * 3_600_000;
// Certificates are cheap to renew and never stored, so their life is short; each is used for half of it.
const VALID_DAYS = 2;
// As many control planes as one manager has; the oldest is made again.
const MOST_KEPT = 1000;

/** Makes the controller's client certificates for etcd, and keeps each for a day in memory. */
export class EtcdCredentials {
  readonly #issuer: CertificateIssuer;
  readonly #clock: Pick<Clock, "now">;
  readonly #kept = new Map<string, Kept>();

  constructor(issuer: CertificateIssuer, clock: Pick<Clock, "now">) {
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** The certificate for the etcd of a control plane, by its UID. */
  async of(uid: string, authority: Credential, algorithm: KeyAlgorithm): Promise<EtcdCredential> {
    const nowMs = this.#clock.now();
    const known = this.#kept.get(uid);
    if (known && known.credential.authority === authority.cert && nowMs - known.madeMs < DAY_MS)
      return known.credential;
    const { cert, key } = await this.#issuer.client(authority, {
      user: "cluster-api.x-k8s.io",
      groups: [],
      algorithm,
      validDays: VALID_DAYS,
      nowMs,
    });
    const credential = { authority: authority.cert, certificate: cert, key: new Sensitive(key) };
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(uid, { credential, madeMs: nowMs });
    return credential;
  }
}
