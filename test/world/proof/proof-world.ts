import { Cluster, Event, Lease, Machine, MachineSet, Namespace } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import type { Fate, HttpRequest } from "@capstan/env";
import { ControllerTestBed } from "@capstan/runtime/testing/test-bed";
import { createDepot, type Depot } from "./depot.ts";
import { proofController } from "./proof-controller.ts";
import { BERTH } from "./proof-controller.ts";

/** How the proof runs. */
export interface ProofOptions {
  readonly seed?: string;
  /** Decides the fate of each write of the manager: to the API server or to the depot. */
  readonly fateOfWrite?: (request: HttpRequest) => Fate;
  readonly watchLagMs?: number;
  readonly lease?: { readonly name: string; readonly namespace: string };
  readonly onStep?: (monotonicMs: number, label: string) => void;
}

/** A world with the proof controller and its depot in it. */
export interface ProofWorld {
  readonly world: ControllerTestBed;
  readonly depot: Depot;
}

/** Creates the world; the manager is not started yet. */
export function createProofWorld({ seed = "1", fateOfWrite, ...rest }: ProofOptions = {}): ProofWorld {
  const kinds = [Namespace, Event, Lease, Cluster, Machine, MachineSet];
  const fate = (request: HttpRequest): Fate =>
    request.method === "GET" || request.path.includes("/leases")
      ? "deliver"
      : (fateOfWrite?.(request) ?? "deliver");
  const depot = createDepot(() => world.scheduler.monotonicMs);
  const world: ControllerTestBed = new ControllerTestBed({
    seed,
    server: (env) => createApiServer({ env, kinds }).handle,
    reconcilers: (manager) => [proofController(manager.connect(depot.handler, { fate }))],
    fate,
    ...rest,
  });
  return { world, depot };
}

/** A MachineSet for the proof. */
export function machineSet(name: string, replicas: number, annotations?: Record<string, string>): MachineSet {
  return {
    apiVersion: MachineSet.apiVersion,
    kind: MachineSet.kind,
    metadata: {
      name,
      namespace: "default",
      labels: { "cluster.x-k8s.io/cluster-name": "harbour" },
      ...(annotations && { annotations }),
    },
    spec: {
      clusterName: "harbour",
      replicas,
      selector: { matchLabels: { set: name } },
      template: {
        metadata: { labels: { set: name } },
        spec: { clusterName: "harbour", bootstrap: { dataSecretName: "" }, infrastructureRef: BERTH },
      },
    },
  };
}
