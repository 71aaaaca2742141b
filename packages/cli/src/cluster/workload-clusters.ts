import { type Clusters, MANAGEMENT_CLUSTER } from "@capstan/apiserver";
import type { Azure } from "@capstan/azure-sim";
import type { Env } from "@capstan/env";
import { createClient, createEventRecorder, createLogger, type LogDestination } from "@capstan/runtime";
import {
  type ControlPlanes,
  type Guests,
  type GuestView,
  machineLabel,
  startControlPlanes,
  startGuests,
} from "@capstan/sim";
import { controlPlaneHost } from "./control-plane-host.ts";
import { inProcess } from "./transport.ts";

/** What workload clusters run on. */
export interface WorkloadClustersOptions {
  readonly env: Env;
  readonly clusters: Clusters;
  readonly azure: Azure;
  readonly dataDir: string;
  /** Is told in a line what a user should know. */
  readonly say: (line: string) => void;
  /** Where engineers look. */
  readonly log: LogDestination;
}

/** Workload clusters that run, with the guests of the simulated machines. */
export interface WorkloadClusters {
  /** How many there are, in a few words. */
  readonly summary: string;
  close(): Promise<void>;
}

/** Starts the control planes of all Clusters, and a guest in each simulated machine. */
export async function startWorkloadClusters(options: WorkloadClustersOptions): Promise<WorkloadClusters> {
  const { env, clusters, azure, dataDir } = options;
  const handle = clusters.get(MANAGEMENT_CLUSTER)?.server.handle;
  if (!handle) throw new TypeError("the management cluster is opened before its workload clusters");
  const management = inProcess(handle);
  const log = createLogger(env, "warn", options.log);
  const controlPlanes = startControlPlanes({
    env,
    management,
    host: controlPlaneHost(clusters, dataDir),
    log,
  });
  await controlPlanes.ready;
  const client = createClient({ env, transport: management, fieldManager: "guests" });
  const events = createEventRecorder({ client, env, log, component: "guests" });
  const guests = startGuests({
    env,
    azure,
    clusterAt: (endpoint) => controlPlanes.clusterAt(endpoint),
    onFailure: ({ machineId, failure }) => {
      const [, , , , group = ""] = machineId.split("/");
      const name = `${group}/${machineLabel(machineId)}`;
      const { reason = "", message = "" } = failure ?? {};
      options.say(`guest ${name}: ${reason}: ${message}`);
      events.record(machineNamed(name), { type: "Warning", reason, message });
    },
  });
  controlPlanes.onEndpoint((endpoint) => guests.attend(endpoint));
  return {
    summary: summaryOf(controlPlanes, guests),
    close: async () => {
      guests.close();
      await events.flush();
      await controlPlanes.close();
    },
  };
}

/** What events are about: a machine is no object of Kubernetes, and its name has to look as if it were. */
function machineNamed(name: string): Parameters<ReturnType<typeof createEventRecorder>["record"]>[0] {
  const metadata = { name: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), namespace: "default" };
  return { apiVersion: "compute.azure.com/v1", kind: "VirtualMachine", metadata };
}

function summaryOf(controlPlanes: ControlPlanes, guests: Guests): string {
  const byStage = Map.groupBy(guests.list(), ({ stage }) => stage);
  const stages = [...byStage].map(([stage, some]: [string, GuestView[]]) => `${some.length} ${stage}`);
  const details = stages.length === 0 ? "" : ` (${stages.join(", ")})`;
  return `workload clusters: ${controlPlanes.count()}, guests: ${guests.list().length}${details}`;
}
