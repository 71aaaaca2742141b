import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import type { Issued } from "./credential.ts";

/** 2026-01-01, the start of virtual worlds. */
export const START_MS = Date.UTC(2026, 0, 1);
/** The lifetime of a certificate. */
export const LIFE_MS = 365 * 24 * 3_600_000;
export const HOSTS = ["capstan-webhooks.capstan-system.svc", "127.0.0.1"];

/** Creates a certificate at the given time. */
export async function issuedAt(nowMs: number, hosts: readonly string[] = HOSTS): Promise<Issued> {
  const real = createRealEnv();
  const env = { ...real, clock: { ...real.clock, now: () => nowMs } };
  const authority = await createAuthority(env);
  return { ca: authority.cert, ...(await issueCertificate(env, authority, { type: "server", hosts })) };
}

/**
 * Certificates that are created before a test starts, because creating a key takes real time, which a virtual clock does
 * not wait for. A caller gets one of its own time.
 */
export class Stock {
  readonly #stock: { readonly madeMs: number; readonly issued: Issued }[] = [];
  taken = 0;

  async add(madeMs: number, count: number): Promise<void> {
    for (let made = 0; made < count; made++) this.#stock.push({ madeMs, issued: await issuedAt(madeMs) });
  }

  take(nowMs: number): Promise<Issued> {
    const index = this.#stock.findLastIndex(({ madeMs }) => madeMs <= nowMs);
    const [found] = index < 0 ? [] : this.#stock.splice(index, 1);
    if (!found) return Promise.reject(new Error("the test has too few certificates in stock"));
    this.taken++;
    return Promise.resolve(found.issued);
  }
}
