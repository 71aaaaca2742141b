import type { Env } from "@capstan/env";
import { Failure } from "@capstan/runtime";

/** The interval at which kubeadm and the kubelet retry an API server that does not answer. */
export const RETRY_MS = 5000;

/** Runs the work of a guest in order, and retries each piece until the API server accepts it or it is obsolete. */
export class GuestWork {
  readonly #env: Env;
  readonly #signal: AbortSignal;
  #last: Promise<void> = Promise.resolve();

  constructor({ env, signal }: { readonly env: Env; readonly signal: AbortSignal }) {
    this.#env = env;
    this.#signal = signal;
  }

  enqueue(isCurrent: () => boolean, run: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#persist(isCurrent, run));
  }

  async #persist(isCurrent: () => boolean, run: () => Promise<void>): Promise<void> {
    while (isCurrent() && !this.#signal.aborted) {
      try {
        await run();
        return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
      await this.#env.clock.sleep(RETRY_MS, this.#signal).catch(() => undefined);
    }
  }
}
