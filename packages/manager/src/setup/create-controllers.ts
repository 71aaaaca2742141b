import { Namespace, Secret } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import {
  type Client,
  createClient,
  guardWrites,
  type Logger,
  type MetricRegistry,
  type Reconciler,
} from "@capstan/runtime";
import type { Connect } from "../azure/arm/http-client.ts";
import { type ArmRequest, Azure } from "../azure/azure.ts";
import type { Cloud } from "../azure/cloud.ts";
import type { EntraPorts } from "../azure/credentials/entra.ts";
import type { TokenSource } from "../azure/credentials/token-source.ts";
import { guardArm } from "../azure/guarded-arm.ts";
import { Meter } from "../azure/meter.ts";
import type { Arm } from "../azure/port.ts";
import { InstanceCache } from "../azure/scale-set/instance-cache.ts";
import type { ConnectToCluster } from "../workload/connect.ts";
import { WorkloadClusters } from "../workload/workload-clusters.ts";
import { type ControllerPorts, CONTROLLERS } from "./controllers.ts";
import { cachedAnswers } from "./cached-answers.ts";

/** What controllers run on. Embedded, simulated and in production it is the same, with other ways to other servers. */
export interface ControllersOptions {
  readonly env: Env;
  readonly log: Logger;
  /** The way to the management cluster. */
  readonly kube: Transport;
  readonly azure: AzureAccess;
  readonly workload: {
    readonly connect: ConnectToCluster;
    /** Servers that kubeconfigs may lead to besides the endpoint of their Cluster. */
    readonly trustedOrigins?: readonly string[];
  };
  readonly readFile: (path: string) => Promise<string>;
  /** Where calls to Azure are counted. */
  readonly metrics?: MetricRegistry;
  /** Throws when this process may not write any more; asked before each write that goes elsewhere than to the management cluster. */
  readonly assertMayWrite: () => void;
  /** The controllers to run, by name; all unless told. */
  readonly controllers?: readonly string[];
  /** How many objects a controller works on at once, where that is not as usual. */
  readonly concurrency?: Readonly<Record<string, number>>;
}

/** The way to Azure. */
export interface AzureAccess {
  readonly cloud: Cloud;
  readonly connect: Connect;
  /** The manager's own credentials, for clusters that name no identity. */
  readonly defaultTokens?: TokenSource;
  /** For clusters that name no subscription. */
  readonly defaultSubscriptionID?: string;
  /** The file with our own service account's token, for workload identity. */
  readonly federatedTokenFile?: string;
  /** Another way to a token than Azure's library: for virtual time. */
  readonly acquire?: NonNullable<EntraPorts["acquire"]>;
}

/** Controllers that are ready to be run. */
export interface CreatedControllers {
  readonly reconcilers: readonly Reconciler[];
  /** Lets go of what they hold beside the management cluster. */
  close(): void;
}

// As long as a kubelet takes to notice, and short enough that nobody who has changed a password waits for us.
const SECRET_MS = 30_000;

/** The name of the manager towards Kubernetes: field manager, source of events, user agent. */
export const MANAGER_NAME = "capstan";

/** Makes the controllers of the product, on the ways to servers that they are given. */
export function createControllers(options: ControllersOptions): CreatedControllers {
  const { env, log, kube, controllers = CONTROLLERS.map(({ name }) => name), concurrency = {} } = options;
  const client = createClient({ transport: kube, env, fieldManager: MANAGER_NAME });
  const readSecret: ReadSecret = cachedAnswers(
    (namespace: string, name: string) => client.find(Secret, { namespace, name }),
    { clock: env.clock, forMs: SECRET_MS },
  );
  const workloads = new WorkloadClusters({ env, log, readSecret, ...options.workload });
  const ports = {
    ...azurePorts(options, client, readSecret),
    ...workloadPorts(options, workloads),
    scaleSets: new InstanceCache(),
    readSecret,
  };
  const chosen = CONTROLLERS.filter(({ name }) => controllers.includes(name));
  return {
    reconcilers: chosen.map(({ name, create }) => {
      const workers = concurrency[name];
      const reconciler = create(ports);
      return workers === undefined ? reconciler : { ...reconciler, concurrency: workers };
    }),
    close: () => workloads.close(),
  };
}

type AzurePorts = Pick<ControllerPorts, "clock" | "azure" | "defaultArm" | "defaultSubscriptionID">;
type ReadSecret = ControllerPorts["readSecret"];

function azurePorts(options: ControllersOptions, client: Client, readSecret: ReadSecret): AzurePorts {
  const { env, readFile, assertMayWrite, metrics } = options;
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
    azure: { armFor: async (request: ArmRequest) => guardArm(await azure.armFor(request), assertMayWrite) },
    ...(defaultTokens && {
      defaultArm: (controller: string): Promise<Arm> =>
        Promise.resolve(guardArm(azure.armWith(defaultTokens, controller), assertMayWrite)),
    }),
    ...(defaultSubscriptionID !== undefined && { defaultSubscriptionID }),
  };
}

function workloadPorts(
  { assertMayWrite }: ControllersOptions,
  workloads: WorkloadClusters,
): Pick<ControllerPorts, "workloads" | "workloadClient"> {
  return {
    workloads,
    workloadClient: async (cluster) => guardWrites((await workloads.get(cluster)).client, assertMayWrite),
  };
}
