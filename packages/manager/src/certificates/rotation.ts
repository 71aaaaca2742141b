/**
 * Decides when the webhook certificates change.
 *
 * A certificate and its authority are created together and replaced together; the authority's key is never stored.
 * Callers must trust an authority before a server shows a certificate of it, so a rotation has two steps, a day apart:
 *prepare* adds the next authority to the bundle and stores the next certificate, *promote* puts that certificate into
 * use. Both are states of one Secret, so any replica may take any step and may crash after it.
 */
import { type Credential, examine, type Issued, type Soundness } from "./credential.ts";

/** The certificates that the replicas share. */
export interface Kept {
  /** PEM certificates of the authorities in the caBundle. */
  readonly bundle: string;
  readonly serving: Credential;
  /** The certificate that will be served next; only during a rotation. */
  readonly next?: Credential;
}

/** The next step of the rotation, and its reason. */
export type RotationPlan =
  | { readonly action: "keep" }
  | { readonly action: "make" | "prepare" | "promote"; readonly why: string };

/** The input of a plan. */
export interface ObservedCertificate {
  readonly kept: Kept | undefined;
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

// Long enough for the leader to write the caBundle, even after hours without a leader.
const SETTLE_MS = 24 * 3_600_000;

export function planRotation({ kept, hosts, nowMs }: ObservedCertificate): RotationPlan {
  if (!kept) return { action: "make", why: "no certificates exist yet" };
  const look = (credential: Credential): Soundness | string => {
    const found = examine(credential, { hosts, bundle: kept.bundle });
    if (typeof found === "string" || nowMs < found.untilMs) return found;
    return `it expired at ${new Date(found.untilMs).toISOString()}`;
  };
  const serving = look(kept.serving);
  const next = kept.next && look(kept.next);
  if (typeof serving === "string") return replacement(serving, next);
  if (typeof next === "string")
    return { action: "prepare", why: `the next certificate is not usable: ${next}` };
  if (next) return nowMs < next.fromMs + SETTLE_MS ? { action: "keep" } : { action: "promote", why: SETTLED };
  const thirdMs = (serving.untilMs - serving.fromMs) / 3;
  if (nowMs < serving.untilMs - thirdMs) return { action: "keep" };
  return { action: "prepare", why: `a third of its lifetime is left, it expires at ${iso(serving.untilMs)}` };
}

const SETTLED = "its authority has been trusted for a day";

/** Without a valid certificate, the replacement does not wait. */
function replacement(problem: string, next: Soundness | string | undefined): RotationPlan {
  const action = next === undefined || typeof next === "string" ? "make" : "promote";
  return { action, why: `the certificate is not usable: ${problem}` };
}

/** Both authorities are trusted from now on, and the next certificate is stored. */
export function prepared(kept: Kept, hosts: readonly string[], { ca, cert, key }: Issued): Kept {
  const serving = examine(kept.serving, { hosts, bundle: kept.bundle });
  const trusted = typeof serving === "string" ? [] : [serving.authority];
  return { bundle: joined([...trusted, ca]), serving: kept.serving, next: { cert, key } };
}

/** The next certificate is served. Both authorities stay, because other replicas may still serve the old one. */
export function promoted({ bundle, serving, next = serving }: Kept): Kept {
  return { bundle, serving: next };
}

/** A first certificate, or one that replaces unusable ones. */
export function made({ ca, cert, key }: Issued): Kept {
  return { bundle: joined([ca]), serving: { cert, key } };
}

function joined(certificates: readonly string[]): string {
  return certificates.map((pem) => `${pem.trim()}\n`).join("");
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
