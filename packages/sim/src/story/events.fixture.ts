import type { Happening, TraceEvent } from "../trace/trace-event.ts";

/** An event so many seconds after the start. */
export function at(seconds: number, actor: string, happening: Happening): TraceEvent {
  return { atMs: seconds * 1000, step: seconds * 10, actor, happening };
}

/** A write of a controller, with the status of its answer. */
export function write(seconds: number, actor: string, status = 200): TraceEvent {
  return at(seconds, actor, {
    kind: "write",
    cluster: "management",
    verb: "patch",
    resource: "machines",
    namespace: "default",
    name: "m-1",
    subresource: "status",
    status,
  });
}

/** A request to Azure, with the status of its answer. */
export function arm(seconds: number, operation: string, status = 200): TraceEvent {
  const [method = ""] = operation.split(" ");
  const code = status < 400 ? {} : { code: "TooManyRequests" };
  return at(seconds, "manager-1/azuremachinepool", {
    kind: "arm",
    method,
    operation,
    path: "/x/pool",
    status,
    ...code,
  });
}

/** A machine event of the pool. */
export function machine(
  seconds: number,
  instance: number,
  event: "created" | "booted" | "deleted",
): TraceEvent {
  return at(seconds, "azure", { kind: "machine", machine: `pool/${instance}`, event });
}

/** A node event. */
export function node(seconds: number, name: string, event: "joined" | "ready" | "gone"): TraceEvent {
  return at(seconds, "guests", { kind: "node", cluster: "workload", node: name, event });
}
