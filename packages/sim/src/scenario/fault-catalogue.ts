/** Everything that can be made to go wrong, one entry each. What it does is in `faults/`. */

/** What a fault strikes, and the words for it in a trigger; the first word of a list means all of them. */
export const STRIKES = {
  writes: ["write", "create", "update", "patch", "delete", "PUT", "PATCH", "POST", "DELETE"],
  "kube calls": ["call", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete"],
  "kube writes": ["write", "create", "update", "patch", "delete"],
  "kube lists": ["list"],
  "workload calls": ["call", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete"],
  evictions: ["eviction"],
  "watch events": ["event"],
  "ARM calls": ["call", "read", "write", "GET", "LIST", "PUT", "PATCH", "POST", "DELETE"],
  "ARM writes": ["write", "PUT", "PATCH", "POST", "DELETE"],
  "ARM polls": ["poll"],
  moments: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** How often a fault strikes: a share of what it strikes, or how far apart its moments are on average. */
export type Rate = { readonly share: number } | { readonly everyMs: number };

/** One way in which something goes wrong. */
export interface CatalogueEntry {
  /** The faults of reference/reliability.md 2.3 that it stands for. */
  readonly covers: readonly [string, ...string[]];
  readonly strikes: keyof typeof STRIKES;
  /** How often it strikes unless told. */
  readonly rate: Rate;
  /** What goes wrong. */
  readonly text: string;
  /** How it ends after it is switched off. */
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
    text: "the process dies before the server hears of a write",
    heals: "the process starts again by itself",
  },
  "crash-after-write": {
    covers: ["C2"],
    strikes: "writes",
    rate: RARELY,
    text: "the process dies after a write is applied and before it hears so",
    heals: "the process starts again by itself",
  },
  "crash-at-start": {
    covers: ["C3"],
    strikes: "kube lists",
    rate: SOMETIMES,
    text: "the process dies while it reads what is there",
    heals: "the process starts again by itself",
  },
  "crash-loop": {
    covers: ["C4"],
    strikes: "moments",
    rate: every(30),
    text: "the process dies three times, each time soon after its start",
    heals: "the process starts again by itself",
  },
  stall: {
    covers: ["C5"],
    strikes: "writes",
    rate: RARELY,
    text: "the process stands still for 5 to 60 seconds before a write; its timers are late",
    heals: "the process goes on",
  },
  "two-leaders": {
    covers: ["C6"],
    strikes: "writes",
    rate: RARELY,
    text: "the leader stands still until its Lease has run out, then goes on with a write",
    heals: "the old leader notices and ends",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** A refusal of one call: over with the next. */
function refusal(
  cover: string,
  strikes: CatalogueEntry["strikes"],
  { text, rate = SOMETIMES }: { readonly text: string; readonly rate?: Rate },
): CatalogueEntry {
  return { covers: [cover], strikes, rate, text, heals: "the next call goes through" };
}

const kubernetes = {
  "kube-conflict": refusal("A1", "kube writes", { text: "409: somebody else has written the object" }),
  "kube-already-exists": refusal("A2", "kube writes", { text: "409 when an object is created" }),
  "kube-not-found": refusal("A3", "kube writes", { text: "404: the object went between read and write" }),
  "kube-forbidden": refusal("A4", "kube writes", {
    text: "403: a role is missing for a moment",
    rate: RARELY,
  }),
  "kube-refused": refusal("A5", "kube writes", {
    text: "422: somebody else's webhook refuses",
    rate: RARELY,
  }),
  "kube-throttled": refusal("A6", "kube writes", { text: "429 with Retry-After" }),
  "kube-unavailable": refusal("A7", "kube calls", { text: "500 or 503, without effect" }),
  "kube-timeout-applied": refusal("A7", "kube writes", { text: "504, and yet the write is applied" }),
  "kube-reset": refusal("A8", "kube calls", {
    text: "the connection breaks, before or after the server has done its part",
  }),
  "watch-delay": {
    covers: ["A9", "A10"],
    strikes: "watch events",
    rate: OFTEN,
    text: "an event arrives up to a minute late, and with it all that follow",
    heals: "what is late arrives",
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
    text: "the watch ends with 410, and the next list comes from a server that is behind",
    heals: "the list after it is complete",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const arm = {
  "arm-throttled": refusal("Z1", "ARM calls", { text: "429 with, without or with a useless Retry-After" }),
  "arm-unavailable": refusal("Z2", "ARM calls", { text: "500, 502, 503 or 504, without effect" }),
  "arm-timeout": refusal("Z3", "ARM writes", { text: "the request is lost: no effect, no answer" }),
  "arm-timeout-applied": refusal("Z3", "ARM writes", { text: "the answer is lost: the effect is there" }),
  "arm-conflict": refusal("Z4", "ARM writes", { text: "409: another operation is in progress" }),
  "arm-precondition": refusal("Z5", "ARM writes", { text: "412: the etag is not the current one" }),
  "arm-unauthorized": refusal("Z6", "ARM calls", { text: "401: the token has run out early", rate: RARELY }),
  "arm-forbidden": refusal("Z6", "ARM writes", { text: "403: the role has not spread yet", rate: RARELY }),
  "operation-lost": refusal("Z7", "ARM polls", { text: "404 for the address of an operation", rate: RARELY }),
  "operation-never-ends": refusal("Z7", "ARM polls", {
    text: "an operation says InProgress although it is over",
    rate: OFTEN,
  }),
  "operation-fails": refusal("Z7", "ARM writes", { text: "the operation fails, and nothing is done" }),
  "operation-failed-but-applied": refusal("Z7", "ARM writes", {
    text: "the operation says that it failed, and everything is done",
  }),
  "partial-allocation": refusal("Z8", "ARM writes", {
    text: "a scale set that grows gets only some of its machines",
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Something that happens at moments of its own. */
function blow(
  cover: string,
  minutes: number,
  { text, heals }: { readonly text: string; readonly heals: string },
): CatalogueEntry {
  return { covers: [cover], strikes: "moments", rate: every(minutes), text, heals };
}

const outside = {
  "arm-read-lag": blow("Z9", 10, {
    text: "what Azure shows lags behind what it has done",
    heals: "reads show what is there",
  }),
  "instance-deleted": blow("Z10", 20, {
    text: "somebody deletes a virtual machine in the portal",
    heals: "the machine stays gone",
  }),
  "instance-stopped": blow("Z10", 20, {
    text: "somebody stops a virtual machine in the portal",
    heals: "the machine stays stopped",
  }),
  "spot-eviction": blow("Z10", 10, {
    text: "Azure takes a spot machine back",
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
    text: "a node is NotReady and Ready by turns",
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
    text: "a user scales, pauses, edits or rolls back something in the middle",
    heals: "what the user wanted last is wanted",
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const workload = {
  "eviction-refused": refusal("N2", "evictions", { text: "429 or 500 for an eviction", rate: OFTEN }),
  "workload-unreachable": refusal("N2", "workload calls", {
    text: "no connection to the workload cluster",
    rate: SOMETIMES,
  }),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

const CATALOGUE = { ...controllers, ...kubernetes, ...arm, ...outside, ...workload };

/** The name of a fault. */
export type FaultId = keyof typeof CATALOGUE;

/** All faults by their names. */
export const FAULT_CATALOGUE: Readonly<Record<FaultId, CatalogueEntry>> = CATALOGUE;

/** The names of all faults, in the order of the catalogue. */
export const FAULT_IDS = Object.keys(CATALOGUE) as readonly FaultId[];
