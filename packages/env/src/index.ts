/** Everything a program takes from the machine: time, randomness, ids, connections. Real and virtual. */
export { abortError, type Clock, type Timer } from "./clock.ts";
export type { Env } from "./env.ts";
export { nameSuffix, uuidFrom } from "./ids.ts";
export {
  AdjustableClock,
  type AdjustableClockOptions,
  clockOfOthers,
  type ClockAnchor,
  speedProblem,
  withClock,
} from "./real/adjustable-clock.ts";
export { createRealEnv } from "./real/env.ts";
export {
  type ListeningServer,
  serveHttp,
  type ServeOptions,
  type ServerLimits,
  type ServerTls,
  serveStreams,
  type StreamServer,
} from "./real/http-server.ts";
export { createHttpTransport, type HttpTransportOptions } from "./real/http-transport.ts";
export {
  createPortForwardTransport,
  type ForwardingServer,
  type PodPort,
  type PortForwardOptions,
} from "./real/port-forward.ts";
export { createRng, type Rng } from "./rng.ts";
export {
  type ByteBudget,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type Peer,
  type Transport,
  TransportError,
  type TransportFailure,
  type Tunnel,
} from "./transport.ts";
export { Heap } from "./virtual/heap.ts";
export { type Fate, type Link, VirtualProcess } from "./virtual/process.ts";
export { type RunLimits, Scheduler, type SchedulerOptions } from "./virtual/scheduler.ts";
