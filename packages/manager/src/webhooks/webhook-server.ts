import type { Features } from "@capstan/api";
import { type ListeningServer, serveHttp } from "@capstan/env";
import { CertificateKeeper, type CertificateKeeperOptions } from "../certificates/certificate-keeper.ts";
import type { Credential } from "../certificates/credential.ts";
import { createWebhookHandler, LONGEST_REVIEW_BYTES } from "./handler.ts";

/** Where the webhooks are served, and with which certificates. */
export interface WebhookServerOptions extends Omit<CertificateKeeperOptions, "hosts" | "onServing"> {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Other names than those of the Service, for a kube-apiserver that does not ask through one. */
  readonly hosts?: readonly string[];
  /** Which features the rules take to be on; the defaults unless given. */
  readonly features?: Features;
}

/** The Service that leads kube-apiserver to the webhooks. */
export const WEBHOOK_SERVICE = "capstan-webhooks";

/** Serves the webhooks over TLS, with certificates that change while it runs. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #keeper: CertificateKeeper;
  readonly #stopping = new AbortController();
  #serving: Credential | undefined;
  #onFirst: () => void = () => undefined;
  #listening: ListeningServer | undefined;

  constructor(options: WebhookServerOptions) {
    const { namespace } = options;
    const service = `${WEBHOOK_SERVICE}.${namespace}.svc`;
    this.#options = options;
    this.#keeper = new CertificateKeeper({
      ...options,
      hosts: options.hosts ?? [service, `${service}.cluster.local`],
      onServing: (serving) => this.#serve(serving),
    });
  }

  /** Where it listens; undefined before it does. */
  get port(): number | undefined {
    return this.#listening?.port;
  }

  /** Resolves when it listens, which it does as soon as there are certificates, or when it is stopped before. */
  async start(): Promise<void> {
    const { host, port, log, features } = this.#options;
    const first = new Promise<void>((resolve) => {
      this.#onFirst = resolve;
    });
    await Promise.race([first, this.#keeper.run(this.#stopping.signal)]);
    if (!this.#serving || this.#stopping.signal.aborted) return;
    const listening = await serveHttp(createWebhookHandler(log, features), {
      host,
      port,
      tls: this.#serving,
      bodyLimitBytes: LONGEST_REVIEW_BYTES,
    });
    if (this.#stopping.signal.aborted) return listening.close();
    // Should they have changed while it began to listen, these are the newest.
    listening.setTls(this.#serving);
    this.#listening = listening;
  }

  /** Why reviews cannot be answered; empty when they can. */
  unready(): readonly string[] {
    const problems = this.#keeper.unready();
    return problems.length > 0 || this.#listening ? problems : ["the webhooks are not served yet"];
  }

  /** Ends everything. A look at the certificates that is under way does no harm, and nobody waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("stopping"));
    await this.#listening?.close();
  }

  #serve(serving: Credential): void {
    this.#serving = serving;
    this.#listening?.setTls(serving);
    this.#onFirst();
  }
}
