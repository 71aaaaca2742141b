import type { Credential } from "../certificates/credential.ts";

/** The algorithms of keys that kubeadm knows. */
export type KeyAlgorithm = "ECDSA-P256" | "ECDSA-P384" | "RSA-2048" | "RSA-3072" | "RSA-4096";

/** What a certificate authority is made from. */
export interface AuthorityRequest {
  readonly algorithm: KeyAlgorithm;
  readonly validDays: number;
  readonly nowMs: number;
}

/** What a client certificate is made from. */
interface ClientRequest extends AuthorityRequest {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A private key with its public key, as PEM texts. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Makes the certificates of clusters. Real ones take a library and time; simulated worlds have fixed ones. */
export interface CertificateIssuer {
  /** A self-signed certificate authority with kubeadm's names. */
  authority(request: AuthorityRequest): Promise<Credential>;
  /** A pair of keys, for the tokens of service accounts. */
  keyPair(algorithm: KeyAlgorithm): Promise<KeyPair>;
  /** A certificate for a client, signed by an authority. */
  client(authority: Credential, request: ClientRequest): Promise<Credential>;
}
