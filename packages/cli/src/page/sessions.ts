import { createHash, timingSafeEqual } from "node:crypto";
import type { Env } from "@capstan/env";

/** A session as its browser gets it: the path is kept by the page, the secret by the browser alone. */
export interface Session {
  /** The first part of the addresses of its data. */
  readonly id: string;
  readonly secret: string;
}

// A user has a few browsers; each login replaces the oldest session beyond them.
const MOST_SESSIONS = 16;

/**
 * Who may see the page: a link is good for one login. Browsers send cookies of 127.0.0.1 to every port, so the cookie of a
 * session is bound to a path that nobody can guess.
 */
export class Sessions {
  readonly #env: Pick<Env, "uuid">;
  readonly #secrets = new Map<string, Buffer>();
  #token: Buffer | undefined;

  constructor(env: Pick<Env, "uuid">) {
    this.#env = env;
  }

  /** A new token for one login; the one before is void. */
  newToken(): string {
    const token = this.#random();
    this.#token = hashOf(token);
    return token;
  }

  /** Exchanges the token for a session; undefined if it is not the token, or was used. */
  exchangeToken(token: string): Session | undefined {
    if (this.#token === undefined || !timingSafeEqual(hashOf(token), this.#token)) return undefined;
    this.#token = undefined;
    const session = { id: this.#random(), secret: this.#random() };
    const [oldest] = this.#secrets.keys();
    if (this.#secrets.size >= MOST_SESSIONS && oldest !== undefined) this.#secrets.delete(oldest);
    this.#secrets.set(session.id, hashOf(session.secret));
    return session;
  }

  /** Whether a request has the secret of its session. */
  admits(id: string, secret: string): boolean {
    const expected = this.#secrets.get(id);
    return expected !== undefined && timingSafeEqual(hashOf(secret), expected);
  }

  /** Two UUIDs have 244 random bits. */
  #random(): string {
    return `${this.#env.uuid()}${this.#env.uuid()}`.replaceAll("-", "");
  }
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
