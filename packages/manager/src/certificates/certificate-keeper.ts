import { type Frozen, Secret } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Client, isConflict, isNotFound, type Logger } from "@capstan/runtime";
import { distrusting, trust } from "./ca-bundle.ts";
import { CERTIFICATE_SECRET, certificateData, readCertificates } from "./certificate-secret.ts";
import { type Credential, examine, type Issued } from "./credential.ts";
import { type Kept, made, type RotationPlan, planRotation, prepared, promoted } from "./rotation.ts";

export interface CertificateKeeperOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly client: Client;
  /** The namespace of the Secret. */
  readonly namespace: string;
  /** The names by which kube-apiserver connects to the webhooks. */
  readonly hosts: readonly string[];
  /** Creates a server certificate and an authority that has signed it. */
  readonly issue: (hosts: readonly string[]) => Promise<Issued>;
  /** Throws unless this process leads: only the leader writes the caBundle. */
  readonly assertMayWrite: () => void;
  /** Called with the certificate to serve, first and on every change. */
  readonly onServing: (serving: Credential) => void;
}

// Without a valid caBundle, kube-apiserver refuses every write to our kinds, so a deleted Secret or caBundle must be
// noticed soon. A poll is three reads, which is less than holding a Lease takes.
const SECRET_POLL_MS = 5_000;
// Each conflict means that another replica took the step; after a few of them, the next poll is soon enough.
const ATTEMPTS = 5;

/**
 * Keeps the webhook certificates in a Secret that all replicas share, and the caBundle that trusts them. Every replica
 * serves the certificate in the Secret and renews it; the resourceVersion decides which replica's write wins.
 */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #serving: Credential | undefined;
  #bundle: string | undefined;
  #untilMs = 0;
  #problem = "the first check has not finished yet";

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /** The authorities that clients of the webhooks have to trust, as PEM; undefined before the first check. */
  get bundle(): string | undefined {
    return this.#bundle;
  }

  /** Why no certificate can be served; empty when one can. */
  unready(): readonly string[] {
    if (!this.#serving) return [`waiting for the webhook certificates: ${this.#problem}`];
    if (this.#options.env.clock.now() < this.#untilMs) return [];
    return [`the webhook certificate has expired: ${this.#problem}`];
  }

  /** Maintains the certificates until the signal is aborted. */
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

  /** Takes the next step of the rotation, if due, and serves the certificate in the Secret. */
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
        // Another replica was first, or the Secret was deleted: the stored state is read again.
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
    this.#bundle = bundle;
    if (serving.cert !== this.#serving?.cert || serving.key !== this.#serving.key) {
      this.#serving = serving;
      onServing(serving);
    }
    return kept;
  }

  /** Writes the caBundle, if this process leads. */
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
