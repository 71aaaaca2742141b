import { DEFAULT_FEATURES, type Features, type Kind, KubeadmConfig, MachinePool } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import {
  type Client,
  createClient,
  type Logger,
  type MetricRegistry,
  type Reconciler,
} from "@capstan/runtime";
import type { ReadCredentialFile } from "@capstan/azure";
import type { CertificateIssuer } from "../cluster-certificates/issuer.ts";
import { x509Issuer } from "../cluster-certificates/x509-issuer.ts";
import type { ConnectToEtcd } from "../etcd/port.ts";
import { etcdThroughApiServers } from "../etcd/through-api-server.ts";
import { type AzureUpdater, azureUpdater } from "../in-place/azure/azure-updater.ts";
import { armOfMachine } from "../in-place/azure/cluster-identity.ts";
import { type ControllerPorts, CONTROLLERS, type StandInDefinition } from "./controllers.ts";
import { type AzureAccess, azurePorts } from "./ports/azure.ts";
import { kubernetesPorts } from "./ports/kubernetes.ts";
import { type UpdaterAccess, updaterPorts } from "./ports/updaters.ts";
import { type WorkloadAccessOptions, workloadPorts } from "./ports/workload.ts";

/** The environment of controllers: the same embedded, simulated and in production, with other transports. */
export interface ControllersOptions {
  readonly env: Env;
  readonly log: Logger;
  /** The transport to the management cluster. */
  readonly kube: Transport;
  readonly azure: AzureAccess;
  readonly workload: WorkloadAccessOptions;
  readonly readFile: ReadCredentialFile;
  /** Makes the certificates of clusters; real ones unless given. */
  readonly issuer?: CertificateIssuer;
  /** The way to the members of etcd; through the API servers of their clusters unless given. */
  readonly connectEtcd?: ConnectToEtcd;
  /** The registry that counts calls to Azure. */
  readonly metrics?: MetricRegistry;
  /** Throws when this process must not write any more; called before each write to another server than the management cluster. */
  readonly assertMayWrite: () => void;
  /** The controllers to run, by name; all unless given. */
  readonly controllers?: readonly string[];
  /** How many objects a controller reconciles at once, if not the default. */
  readonly concurrency?: Readonly<Record<string, number>>;
  /** Which features are on; the defaults unless given. */
  readonly features?: Features;
  /** How to reach updaters; over TLS unless given. */
  readonly updaters?: UpdaterAccess;
  /** Controllers that stand in for other operators: only if the management cluster is the embedded one. */
  readonly standIns?: readonly StandInDefinition[];
}

/** Controllers that are ready to be run. */
export interface CreatedControllers {
  readonly reconcilers: readonly Reconciler[];
  /** Changes virtual machines in place with the credentials and the budget of the controllers. */
  readonly azureUpdater: AzureUpdater;
  /** Closes their connections to other servers than the management cluster. */
  close(): void;
}

/** The name of the manager towards Kubernetes: field manager, source of events, user agent. */
export const MANAGER_NAME = "capstan";

/** Creates the controllers of the product with the given connections. */
export function createControllers(options: ControllersOptions): CreatedControllers {
  const { concurrency = {} } = options;
  const etcd = etcdThroughApiServers(options.env);
  const client = createClient({ transport: options.kube, env: options.env, fieldManager: MANAGER_NAME });
  const ports = portsOf({ connectEtcd: etcd.connect, ...options, client });
  return {
    azureUpdater: azureUpdater({
      client,
      regionSizes: ports.regionSizes,
      armFor: (machine) => armOfMachine(ports, client, machine),
    }),
    reconcilers: chosen(options).map(({ name, create }) => {
      const workers = concurrency[name];
      const reconciler = create(ports);
      return workers === undefined ? reconciler : { ...reconciler, concurrency: workers };
    }),
    close: () => {
      ports.workloads.close();
      void etcd.close();
    },
  };
}

type PortsOptions = ControllersOptions & Pick<ControllerPorts, "connectEtcd"> & { readonly client: Client };

function portsOf(options: PortsOptions): ControllerPorts {
  const { env, client, metrics, features = DEFAULT_FEATURES, ...rest } = options;
  const kubernetes = kubernetesPorts(env, client);
  const kinds = new Set<Kind>(chosen(options).map(({ kind }) => kind));
  return {
    ...kubernetes,
    ...azurePorts({ ...rest, ...kubernetes, env, client, metrics }),
    ...workloadPorts({ ...rest, ...kubernetes, env }),
    ...updaterPorts({ ...rest, env, client, metrics }),
    features,
    isBesideOtherCore: !kinds.has(MachinePool),
    rendersBootstrapData: kinds.has(KubeadmConfig),
    metrics,
    issuer: options.issuer ?? x509Issuer(env),
    connectEtcd: options.connectEtcd,
  };
}

function chosen({ controllers, standIns = [] }: ControllersOptions) {
  const all = [...CONTROLLERS, ...standIns];
  return controllers ? all.filter(({ name }) => controllers.includes(name)) : all;
}
