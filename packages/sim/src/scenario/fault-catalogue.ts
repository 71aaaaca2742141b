/** All faults, one entry each. Their effects are in `faults/`. */

/** What a fault hits, and the words for it in a trigger; the first word of a list means all of them. */
export const STRIKES = {
  writes: ["write", "create", "update", "patch", "delete", "PUT", "PATCH", "POST", "DELETE"],
  "kube calls": ["call", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete"],
  "kube writes": ["write", "create", "update", "patch", "delete"],
  "kube lists": ["list"],
  "workload calls": ["call", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete"],
  evictions: ["eviction"],
  "etcd calls": ["call", "read", "write"],
  "watch events": ["event"],
  "ARM calls": ["call", "read", "write", "GET", "LIST", "PUT", "PATCH", "POST", "DELETE"],
  "ARM writes": ["write", "PUT", "PATCH", "POST", "DELETE"],
  "ARM polls": ["poll"],
  moments: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** How often a fault hits: a share of the calls, or the average interval between moments. */
export type Rate = { readonly share: number } | { readonly everyMs: number };

/** One fault. */
export interface CatalogueEntry {
  /** The entries of reference/reliability.md 2.3 that it covers. */
  readonly covers: readonly [string, ...string[]];
  readonly strikes: keyof typeof STRIKES;
  /** How often it hits unless given. */
  readonly rate: Rate;
  /** What the fault does. */
  readonly text: string;
  /** What happens after it is deactivated. */
  readonly heals: string;
}

const every = (minutes: number): Rate => ({ everyMs: minutes * 60_000 });
const RARELY: Rate = { share: 0.01 };
const SOMETIMES: Rate = { share: 0.05 };
const OFTEN: Rate = { share: 0.2 };

const controllers = {
  "crash-before-write": {
    covers: ["C1"],
    strikes: "writes",
    rate: RARELY,
    text: "the process crashes before the server gets a write",
    heals: "the process starts again by itself",
  },
  "crash-after-write": {
    covers: ["C2"],
    strikes: "writes",
    rate: RARELY,
    text: "the process crashes after a write is applied, before it gets the answer",
    heals: "the process starts again by itself",
  },
  "crash-at-start": {
    covers: ["C3"],
    strikes: "kube lists",
    rate: SOMETIMES,
    text: "the process crashes during a read",
    heals: "the process starts again by itself",
  },
  "crash-loop": {
    covers: ["C4"],
    strikes: "moments",
    rate: every(30),
    text: "the process crashes three times, each time soon after its start",
    heals: "the process starts again by itself",
  },
  stall: {
    covers: ["C5"],
    strikes: "writes",
    rate: RARELY,
    text: "the process is paused for 5 to 60 seconds before a write; its timers are late",
    heals: "the process goes on",
  },
  "two-leaders": {
    covers: ["C6"],
    strikes: "writes",
    rate: RARELY,
    text: "the leader is paused until its Lease has expired, then continues with a write",
    heals: "the old leader notices and exits",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** A refusal of one call; the next call succeeds. */
function refusal(
  cover: string,
  strikes: CatalogueEntry["strikes"],
  { text, rate = SOMETIMES }: { readonly text: string; readonly rate?: Rate },
): CatalogueEntry {
  return { covers: [cover], strikes, rate, text, heals: "the next call goes through" };
}

const kubernetes = {
  "kube-conflict": refusal("A1", "kube writes", { text: "409: another client has written the object" }),
  "kube-already-exists": refusal("A2", "kube writes", { text: "409 when an object is created" }),
  "kube-not-found": refusal("A3", "kube writes", {
    text: "404: the object was deleted between read and write",
  }),
  "kube-forbidden": refusal("A4", "kube writes", {
    text: "403: a role is missing for a short time",
    rate: RARELY,
  }),
  "kube-refused": refusal("A5", "kube writes", {
    text: "422: another provider's webhook refuses",
    rate: RARELY,
  }),
  "kube-throttled": refusal("A6", "kube writes", { text: "429 with Retry-After" }),
  "kube-unavailable": refusal("A7", "kube calls", { text: "500 or 503, without effect" }),
  "kube-timeout-applied": refusal("A7", "kube writes", { text: "504, although the write is applied" }),
  "kube-reset": refusal("A8", "kube calls", {
    text: "the connection breaks, before or after the server has carried out the call",
  }),
  "watch-delay": {
    covers: ["A9", "A10"],
    strikes: "watch events",
    rate: OFTEN,
    text: "an event and all later ones arrive up to a minute late",
    heals: "late events arrive",
  },
  "watch-duplicate": {
    covers: ["A9"],
    strikes: "watch events",
    rate: OFTEN,
    text: "an event arrives twice",
    heals: "nothing is left to heal",
  },
  "watch-drop": {
    covers: ["A9", "A10"],
    strikes: "watch events",
    rate: SOMETIMES,
    text: "events are missed for up to a minute, then the watch ends with 410",
    heals: "the next list is complete",
  },
  "watch-expired": {
    covers: ["A9"],
    strikes: "watch events",
    rate: SOMETIMES,
    text: "the watch ends with 410",
    heals: "the next list is complete",
  },
  "watch-time-travel": {
    covers: ["A9", "A10"],
    strikes: "watch events",
    rate: RARELY,
    text: "the watch ends with 410, and the next list comes from a server that lags behind",
    heals: "the list after it is complete",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const arm = {
  "arm-throttled": refusal("Z1", "ARM calls", { text: "429 with, without or with a useless Retry-After" }),
  "arm-unavailable": refusal("Z2", "ARM calls", { text: "500, 502, 503 or 504, without effect" }),
  "arm-timeout": refusal("Z3", "ARM writes", { text: "the request is lost: no effect, no answer" }),
  "arm-timeout-applied": refusal("Z3", "ARM writes", {
    text: "the answer is lost: the request takes effect",
  }),
  "arm-conflict": refusal("Z4", "ARM writes", { text: "409: another operation is in progress" }),
  "arm-precondition": refusal("Z5", "ARM writes", { text: "412: the etag is not the current one" }),
  "arm-unauthorized": refusal("Z6", "ARM calls", { text: "401: the token has expired early", rate: RARELY }),
  "arm-forbidden": refusal("Z6", "ARM writes", {
    text: "403: the role assignment has not propagated yet",
    rate: RARELY,
  }),
  "operation-lost": refusal("Z7", "ARM polls", { text: "404 for the URL of an operation", rate: RARELY }),
  "operation-never-ends": refusal("Z7", "ARM polls", {
    text: "an operation reports InProgress although it has ended",
    rate: OFTEN,
  }),
  "operation-fails": refusal("Z7", "ARM writes", { text: "the operation fails and changes nothing" }),
  "operation-failed-but-applied": refusal("Z7", "ARM writes", {
    text: "the operation reports a failure although its changes are made",
  }),
  "partial-allocation": refusal("Z8", "ARM writes", {
    text: "a scale set that grows gets only some of its machines",
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** A fault at moments of its own. */
function blow(
  cover: string,
  minutes: number,
  { text, heals }: { readonly text: string; readonly heals: string },
): CatalogueEntry {
  return { covers: [cover], strikes: "moments", rate: every(minutes), text, heals };
}

const outside = {
  "arm-read-lag": blow("Z9", 10, {
    text: "reads of Azure lag behind its writes",
    heals: "reads show the current state",
  }),
  "instance-deleted": blow("Z10", 20, {
    text: "an operator deletes a virtual machine in the portal",
    heals: "the machine stays gone",
  }),
  "instance-stopped": blow("Z10", 20, {
    text: "an operator stops a virtual machine in the portal",
    heals: "the machine stays stopped",
  }),
  "spot-eviction": blow("Z10", 10, {
    text: "Azure evicts a spot machine",
    heals: "the machine stays gone",
  }),
  "scope-lock": blow("Z10", 30, {
    text: "an administrator locks a scale set",
    heals: "the lock is lifted",
  }),
  "node-never-joins": blow("N1", 20, {
    text: "the next machine that boots does not become a node",
    heals: "machines that boot later join",
  }),
  "node-not-ready": blow("N1", 20, {
    text: "a node is NotReady although its machine runs",
    heals: "the node is Ready",
  }),
  "node-flaps": blow("N1", 20, {
    text: "a node alternates between NotReady and Ready",
    heals: "the node is Ready",
  }),
  "pdb-blocks": blow("N2", 20, {
    text: "a disruption budget allows no eviction",
    heals: "the budget is as before",
  }),
  "clock-jump": blow("T1", 60, {
    text: "the wall clock of a manager jumps an hour back, or an hour or a year ahead",
    heals: "the clock goes on from there",
  }),
  "user-edit": blow("U1", 10, {
    text: "a user scales, pauses, edits or rolls back an object",
    heals: "what the user wanted last is wanted",
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const workload = {
  "eviction-refused": refusal("N2", "evictions", { text: "429 or 500 for an eviction", rate: OFTEN }),
  "workload-unreachable": refusal("N2", "workload calls", {
    text: "no connection to the workload cluster",
    rate: SOMETIMES,
  }),
  "forward-broken": refusal("N2", "etcd calls", {
    text: "the port-forward to a member of etcd breaks, before or after a request",
    rate: OFTEN,
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const CATALOGUE = { ...controllers, ...kubernetes, ...arm, ...outside, ...workload };

/** The name of a fault. */
export type FaultId = keyof typeof CATALOGUE;

/** All faults by name. */
export const FAULT_CATALOGUE: Readonly<Record<FaultId, CatalogueEntry>> = CATALOGUE;

/** The names of all faults, in the order of the catalogue. */
export const FAULT_IDS = Object.keys(CATALOGUE) as readonly FaultId[];
