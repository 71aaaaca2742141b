import { createHash, timingSafeEqual } from "node:crypto";
import type { Env } from "@capstan/env";

/** A session as its browser gets it: the path is kept by the page, the secret by the browser alone. */
export interface Session {
  /** The first part of the addresses of its data. */
  readonly id: string;
  readonly secret: string;
}

/** Where sessions outlive the process: their ids with the hashes of their secrets. */
export interface SessionStore {
  load(): ReadonlyMap<string, string>;
  save(hashes: ReadonlyMap<string, string>): void;
}

/** Sessions that end with the process. */
const NO_STORE: SessionStore = { load: () => new Map(), save: () => undefined };

// A user has a few browsers; each login replaces the oldest session beyond them.
const MOST_SESSIONS = 16;

/**
 * Who may see the page: a link is good for one login. Browsers send cookies of 127.0.0.1 to every port, so the cookie of a
 * session is bound to a path that nobody can guess.
 */
export class Sessions {
  readonly #env: Pick<Env, "uuid">;
  readonly #store: SessionStore;
  readonly #hashes: Map<string, string>;
  #token: Buffer | undefined;

  constructor(env: Pick<Env, "uuid">, store: SessionStore = NO_STORE) {
    this.#env = env;
    this.#store = store;
    this.#hashes = new Map(store.load());
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
    const [oldest] = this.#hashes.keys();
    if (this.#hashes.size >= MOST_SESSIONS && oldest !== undefined) this.#hashes.delete(oldest);
    this.#hashes.set(session.id, hashOf(session.secret).toString("hex"));
    this.#store.save(this.#hashes);
    return session;
  }

  /** Whether a request has the secret of its session. */
  admits(id: string, secret: string): boolean {
    const expected = this.#hashes.get(id);
    return expected !== undefined && timingSafeEqual(hashOf(secret), Buffer.from(expected, "hex"));
  }

  /** Two UUIDs have 244 random bits. */
  #random(): string {
    return `${this.#env.uuid()}${this.#env.uuid()}`.replaceAll("-", "");
  }
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
