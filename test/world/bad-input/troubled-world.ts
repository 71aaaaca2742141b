import { Cluster, Event, Lease, Machine, MachineSet, Namespace } from "@capstan/api";
import { createApiServer, createMemoryStorage, type Storage } from "@capstan/apiserver";
import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { ControllerTestBed } from "@capstan/runtime/testing/test-bed";
import { createDepot, type Depot } from "../proof/depot.ts";
import { proofController } from "../proof/proof-controller.ts";

/** A world whose server can fail. */
export interface TroubledWorld {
  readonly world: ControllerTestBed;
  readonly depot: Depot;
  readonly storage: Storage;
  /** Puts a filter between all clients and the server from now on; undefined removes it. */
  trouble(between: Trouble | undefined): void;
}

/** Answers instead of the server, or calls it. */
type Trouble = (request: HttpRequest, server: Handler) => Promise<HttpResponse>;

/** The proof controller with a failing server; the manager is not started yet. */
export function createTroubledWorld({ lease = false } = {}): TroubledWorld {
  let between: Trouble | undefined;
  const storage = createMemoryStorage();
  const kinds = [Namespace, Event, Lease, Cluster, Machine, MachineSet];
  const depot = createDepot(() => world.scheduler.monotonicMs);
  const world: ControllerTestBed = new ControllerTestBed({
    server: (env) => {
      const { handle } = createApiServer({ env, kinds, storage });
      return (request) => (between ? between(request, handle) : handle(request));
    },
    reconcilers: (manager) => [proofController(manager.connect(depot.handler))],
    ...(lease && { lease: { name: "capstan", namespace: "kube-system" } }),
  });
  return {
    world,
    depot,
    storage,
    trouble: (desired) => {
      between = desired;
    },
  };
}

/** Whether the path is that of a watch. */
export function isWatch(path: string): boolean {
  return path.includes("watch=true");
}

/** An error as a server or a proxy sends it. */
export function refusal(code: number, body: object | string): HttpResponse {
  const text = typeof body === "string" ? body : JSON.stringify({ kind: "Status", code, ...body });
  return {
    status: code,
    headers: {},
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(JSON.parse(text) as unknown),
    lines: async function* () {},
  };
}
