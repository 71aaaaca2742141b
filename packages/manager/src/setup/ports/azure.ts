import { Namespace } from "@capstan/api";
import type { Clock, Env } from "@capstan/env";
import type { Client, Logger, MetricRegistry } from "@capstan/runtime";
import {
  type Arm,
  type ArmRequest,
  Azure,
  type Cloud,
  type Connect,
  type EntraPorts,
  guardArm,
  InstanceCache,
  Meter,
  type ReadCredentialFile,
  RegionSizes,
  type TokenSource,
} from "@capstan/azure";
import type { AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import { PrototypeMetrics } from "../../reconcilers/nodeprototype/metrics.ts";
import type { ReadSecret } from "./kubernetes.ts";

/** The access of controllers to Azure. */
export interface AzurePorts extends AzureClientPorts {
  readonly clock: Clock;
  /** The instances in the lists of scale sets, for all controllers of this process. */
  readonly scaleSets: InstanceCache;
  /** The sizes and zones of regions, for all controllers of this process. */
  readonly regionSizes: RegionSizes;
  /** The clusters in which this process begins to renew an image, by pool or template. */
  readonly prototypeClaims: Map<string, string>;
  /** The metrics of image renewals, for pools and templates. */
  readonly prototypeMetrics: PrototypeMetrics;
}

/** The connection to Azure. */
export interface AzureAccess {
  readonly cloud: Cloud;
  readonly connect: Connect;
  /** The manager's own credentials, for clusters that name no identity. */
  readonly defaultTokens?: TokenSource;
  /** For clusters that name no subscription. */
  readonly defaultSubscriptionID?: string;
  /** The file with the manager's service account token, for workload identity. */
  readonly federatedTokenFile?: string;
  /** A replacement for Azure's library: for virtual time. */
  readonly acquire?: NonNullable<EntraPorts["acquire"]>;
}

export interface AzurePortsOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly azure: AzureAccess;
  readonly client: Client;
  readonly readSecret: ReadSecret;
  readonly readFile: ReadCredentialFile;
  readonly metrics?: MetricRegistry | undefined;
  /** Throws when this process must not write any more. */
  readonly assertMayWrite: () => void;
}

/** Connects controllers to Azure; every write first checks that this process still leads. */
export function azurePorts(options: AzurePortsOptions): AzurePorts {
  const { env, client, readFile, readSecret, metrics } = options;
  const { defaultTokens, defaultSubscriptionID, ...access } = options.azure;
  const azure = new Azure({
    env,
    readFile,
    readSecret,
    meter: new Meter(metrics),
    namespaceLabels: async (name) => {
      const namespace = await client.find(Namespace, { name });
      return namespace && (namespace.metadata.labels ?? {});
    },
    ...access,
  });
  return {
    clock: env.clock,
    scaleSets: new InstanceCache(),
    regionSizes: new RegionSizes(env.clock),
    prototypeClaims: new Map(),
    prototypeMetrics: new PrototypeMetrics(metrics),
    azure: { armFor: async (request: ArmRequest) => guardArm(await azure.armFor(request), options) },
    ...(defaultTokens && {
      defaultArm: (controller: string): Promise<Arm> =>
        Promise.resolve(guardArm(azure.armWith(defaultTokens, controller), options)),
    }),
    ...(defaultSubscriptionID !== undefined && { defaultSubscriptionID }),
  };
}
