import type { AzureClusterIdentity, Frozen } from "@capstan/api";
import { Budget } from "./arm/budget.ts";
import { createArm } from "./arm/client.ts";
import { createExchange, type Exchange } from "./arm/exchange.ts";
import { Identities, type IdentityPorts } from "./credentials/identities.ts";
import type { TokenSource } from "./credentials/token-source.ts";
import { Meter } from "./meter.ts";
import type { Arm } from "./port.ts";

export interface AzureOptions extends IdentityPorts {
  readonly meter?: Meter;
}

export interface ArmRequest {
  readonly identity: Frozen<AzureClusterIdentity>;
  /** The namespace of the cluster that uses the identity. */
  readonly namespace: string;
  readonly controller: string;
}

/** The Azure clients of one process, which share one budget and one meter. */
export class Azure {
  readonly meter: Meter;
  readonly #options: AzureOptions;
  readonly #identities: Identities;
  readonly #budget = new Budget();
  readonly #exchanges = new WeakMap<TokenSource, Exchange>();

  constructor(options: AzureOptions) {
    this.#options = options;
    this.#identities = new Identities(options);
    this.meter = options.meter ?? new Meter();
  }

  /** The resource manager with the identity of a cluster. Throws an AzureError when its namespace may not use it. */
  async armFor({ identity, namespace, controller }: ArmRequest): Promise<Arm> {
    return this.armWith(await this.#identities.tokensFor(identity, namespace), controller);
  }

  /** The resource manager with tokens of another source. */
  armWith(tokens: TokenSource, controller: string): Arm {
    const { cloud, env } = this.#options;
    return createArm({
      exchange: this.#exchangeWith(tokens),
      endpoint: cloud.resourceManager,
      principal: tokens.principal,
      budget: this.#budget,
      meter: this.meter,
      clock: env.clock,
      controller,
    });
  }

  #exchangeWith(tokens: TokenSource): Exchange {
    const known = this.#exchanges.get(tokens);
    if (known) return known;
    const { cloud, connect, env } = this.#options;
    const exchange = createExchange({ endpoint: cloud.resourceManager, connect, env, tokens });
    this.#exchanges.set(tokens, exchange);
    return exchange;
  }
}
