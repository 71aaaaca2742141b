import type { Features } from "@capstan/api";
import { type ListeningServer, serveHttp } from "@capstan/env";
import type { MetricRegistry } from "@capstan/runtime";
import { CertificateKeeper, type CertificateKeeperOptions } from "../certificates/certificate-keeper.ts";
import type { Credential } from "../certificates/credential.ts";
import { DefinitionKeeper } from "../stored-versions/definition-keeper.ts";
import { ownUser } from "./own-user.ts";
import { createWebhookHandler, LONGEST_CONVERSION_BYTES } from "./handler.ts";

/** The address and the certificates of the webhooks. */
export interface WebhookServerOptions extends Omit<CertificateKeeperOptions, "hosts" | "onServing"> {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Other names than those of the Service, for a kube-apiserver that does not connect through it. */
  readonly hosts?: readonly string[];
  /** The enabled features; the defaults unless given. */
  readonly features?: Features;
  /** The registry that counts migrated objects. */
  readonly metrics?: MetricRegistry;
  /** How long a new CRD is left alone before its objects are migrated. */
  readonly settleMs?: number;
}

/** The Service by which kube-apiserver reaches the webhooks. */
export const WEBHOOK_SERVICE = "capstan-webhooks";

/**
 * Serves the webhooks over TLS, with certificates that change while it runs. It needs neither the cache nor the Lease: without
 * conversions the API server could not read stored objects of other versions, and no cache would ever be filled.
 */
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

  /** The port; undefined before it listens. */
  get port(): number | undefined {
    return this.#listening?.port;
  }

  /** Resolves when the server listens, which needs certificates, or when it is stopped before. */
  async start(): Promise<void> {
    const { host, port, log, features, client } = this.#options;
    const first = new Promise<void>((resolve) => {
      this.#onFirst = resolve;
    });
    await Promise.race([first, this.#keeper.run(this.#stopping.signal)]);
    if (!this.#serving || this.#stopping.signal.aborted) return;
    this.#keepDefinitions();
    const rules = { ...(features && { features }), managerUser: await ownUser(client, log) };
    const listening = await serveHttp(createWebhookHandler(log, rules), {
      host,
      port,
      tls: this.#serving,
      bodyLimitBytes: LONGEST_CONVERSION_BYTES,
    });
    if (this.#stopping.signal.aborted) return listening.close();
    // The certificates may have changed while the server started to listen.
    listening.setTls(this.#serving);
    this.#listening = listening;
  }

  /** Why reviews cannot be answered; empty when they can. */
  unready(): readonly string[] {
    const problems = this.#keeper.unready();
    return problems.length > 0 || this.#listening ? problems : ["the webhooks are not served yet"];
  }

  /** Ends all requests to the API server, while webhooks are still answered: the last writes of the controllers need them. */
  detach(): void {
    this.#stopping.abort(new Error("stopping"));
  }

  /** Stops the server. A running check of the certificates does no harm, so it is not awaited. */
  async stop(): Promise<void> {
    this.detach();
    await this.#listening?.close();
  }

  #keepDefinitions(): void {
    const { namespace, log } = this.#options;
    const keeper = new DefinitionKeeper({
      ...this.#options,
      bundle: () => this.#keeper.bundle,
      service: { name: WEBHOOK_SERVICE, namespace },
    });
    keeper.run(this.#stopping.signal).catch((error: unknown) => log.error("Bug in a handler", { error }));
  }

  #serve(serving: Credential): void {
    this.#serving = serving;
    this.#listening?.setTls(serving);
    this.#onFirst();
  }
}
