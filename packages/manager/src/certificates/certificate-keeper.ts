import { type Frozen, Secret } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Client, isConflict, isNotFound, type Logger } from "@capstan/runtime";
import { distrusting, trust } from "./ca-bundle.ts";
import { CERTIFICATE_SECRET, certificateData, readCertificates } from "./certificate-secret.ts";
import { type Credential, examine, type Issued } from "./credential.ts";
import { type Kept, made, type RotationPlan, planRotation, prepared, promoted } from "./rotation.ts";

/** What a keeper of certificates works with. */
export interface CertificateKeeperOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly client: Client;
  /** Where the Secret is. */
  readonly namespace: string;
  /** The names that kube-apiserver knows the webhooks by. */
  readonly hosts: readonly string[];
  /** Makes a certificate for a server, and an authority that vouches for it. */
  readonly issue: (hosts: readonly string[]) => Promise<Issued>;
  /** Throws unless this process leads: only then it tells kube-apiserver whom to trust. */
  readonly assertMayWrite: () => void;
  /** Is told of the certificate to serve, first and whenever it changes. */
  readonly onServing: (serving: Credential) => void;
}

// While kube-apiserver does not trust us it refuses every write to our kinds, so nobody should wait long for us to notice
// that somebody deleted the Secret or took the trust away. A look is three reads: less than it takes to hold a Lease.
const SECRET_POLL_MS = 5_000;
// Each conflict means that another replica took the step; after a few of them the next look is soon enough.
const ATTEMPTS = 5;

/**
 * Keeps the certificates of the webhooks in a Secret that all replicas share, and kube-apiserver's trust in them.
 * Every replica serves what is in the Secret and brings it up to date; the version of the Secret decides who was first.
 */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #serving: Credential | undefined;
  #untilMs = 0;
  #problem = "the first check has not finished yet";

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /** Why there is nothing to serve; empty when there is. */
  unready(): readonly string[] {
    if (!this.#serving) return [`waiting for the webhook certificates: ${this.#problem}`];
    if (this.#options.env.clock.now() < this.#untilMs) return [];
    return [`the webhook certificate has expired: ${this.#problem}`];
  }

  /** Looks after the certificates until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { env, log } = this.#options;
    while (!signal.aborted) {
      try {
        const { bundle } = await this.#upToDate();
        await this.#publish(bundle);
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : String(error);
        log.warn("Checking the webhook certificates failed, retrying", { error });
      }
      await env.clock.sleep(SECRET_POLL_MS, signal).catch(() => undefined);
    }
  }

  /** Takes the next step with the certificates, if one is due, and serves what is then in the Secret. */
  async #upToDate(): Promise<Kept> {
    const { env, client, namespace, hosts } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const secret = await client.find(Secret, { namespace, name: CERTIFICATE_SECRET });
      const kept = secret && readCertificates(secret);
      const plan = planRotation({ kept, hosts, nowMs: env.clock.now() });
      if (kept && plan.action === "keep") return this.#serve(kept);
      try {
        const next = await this.#stepped(plan, kept);
        await this.#store(secret, next);
        return this.#serve(next);
      } catch (error) {
        // Another replica was first, or the Secret was deleted: what is there now counts.
        if (!(isConflict(error) || isNotFound(error)) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #stepped(plan: RotationPlan, kept: Kept | undefined): Promise<Kept> {
    const { log, hosts, issue } = this.#options;
    log.info("Changing the webhook certificates", { ...plan });
    if (!kept || plan.action === "make") return made(await issue(hosts));
    return plan.action === "prepare" ? prepared(kept, hosts, await issue(hosts)) : promoted(kept);
  }

  async #store(secret: Frozen<Secret> | undefined, kept: Kept): Promise<void> {
    const { client, namespace } = this.#options;
    const data = certificateData(kept);
    if (secret) await client.update(Secret, { ...secret, data });
    else
      await client.create(Secret, {
        metadata: { name: CERTIFICATE_SECRET, namespace },
        type: "kubernetes.io/tls",
        data,
      });
  }

  #serve(kept: Kept): Kept {
    const { hosts, onServing } = this.#options;
    const { serving, bundle } = kept;
    const found = examine(serving, { hosts, bundle });
    if (typeof found === "string") throw new TypeError(`a newly created certificate is not usable: ${found}`);
    this.#untilMs = found.untilMs;
    if (serving.cert !== this.#serving?.cert || serving.key !== this.#serving.key) {
      this.#serving = serving;
      onServing(serving);
    }
    return kept;
  }

  /** Has kube-apiserver trust the bundle, when this process leads. */
  async #publish(bundle: string): Promise<void> {
    const { log, client } = this.#options;
    if (!this.#leads()) return;
    for (const distrust of await distrusting(client, bundle)) {
      const { kind } = distrust.kind;
      log.info("Writing the caBundle of the webhook certificates", { kind });
      await trust(client, distrust, bundle);
    }
  }

  #leads(): boolean {
    try {
      this.#options.assertMayWrite();
      return true;
    } catch {
      return false;
    }
  }
}
