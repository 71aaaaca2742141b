import { drawTypicalSeconds, type Duration } from "@capstan/azure-sim";
import type { Rng } from "@capstan/env";
import type { GuestFailure } from "./failure.ts";

/** The stages of a guest. */
export type Stage =
  | "new"
  | "booting"
  | "cloud-init"
  | "joining"
  | "registered"
  | "ready"
  /** A control plane whose static pods restart after an upgrade. */
  | "restarting"
  | "failed"
  | "stopped"
  | "deleted";

/** The state of a guest: everything that the next step depends on. */
export interface GuestState {
  readonly stage: Stage;
  readonly sinceMs: number;
  /** The duration from power on to Ready this time. */
  readonly totalMs: number;
  /** Whether cloud-init has ended on this disk; it never runs twice on one disk. */
  readonly isProvisioned: boolean;
  /** Whether the disk has the credentials of a kubelet. */
  readonly isJoined: boolean;
  /** Why it is not a node, or not yet. */
  readonly failure?: GuestFailure | undefined;
}

/** An event of a guest: from Azure, or the result of an action. */
export type GuestEvent =
  | { readonly kind: "booted" | "reimaged" | "started"; readonly totalMs: number }
  | {
      readonly kind:
        | "stopped"
        | "deleted"
        | "understood"
        | "joined"
        | "nodeChanged"
        | "kubeletRestarted"
        | "podsRestarted";
    }
  /**
   * `isCopy`: the disk carries the identity of another machine. `isHelper`: the machine exists only to remove it. `updatesMs`: how
   * long pending updates take.
   */
  | {
      readonly kind: "elapsed";
      readonly isCopy?: boolean;
      readonly isHelper?: boolean;
      readonly updatesMs?: number;
    }
  | { readonly kind: "refused" | "failed"; readonly failure: GuestFailure };

/** The next action. */
export type GuestAction =
  | { readonly do: "wait"; readonly forMs: number }
  | {
      readonly do:
        | "boot"
        | "scrub"
        | "provision"
        | "join"
        | "register"
        | "reportReady"
        | "fallSilent"
        | "forget";
    };

/** The state after an event, and its actions. */
export interface Step {
  readonly state: GuestState;
  readonly actions: readonly GuestAction[];
}

/** The state of a new machine. */
export const NEW_GUEST: GuestState = {
  stage: "new",
  sinceMs: 0,
  totalMs: 0,
  isProvisioned: false,
  isJoined: false,
};

/** The share of each stage in the time from power on to Ready. */
const SHARES = { booting: 0.5, "cloud-init": 0.15, joining: 0.2, registered: 0.15 } as const;

/** How long etcd and the API server of a machine are away while kubeadm renews their manifests. */
const PODS_RESTART_MS = 20_000;

/** A restart from inside is faster than a first boot: Azure does not place the machine again. */
const REBOOT_SHARE = 0.25;

/** The changes of the state, and the actions. */
interface Change {
  readonly to: Partial<GuestState>;
  readonly actions: readonly GuestAction[];
}

type Move = (state: GuestState, event: GuestEvent) => Change | undefined;

function enter(stage: keyof typeof SHARES, state: GuestState, actions: readonly GuestAction[] = []): Change {
  return {
    to: { stage },
    actions: [...actions, { do: "wait", forMs: Math.round(state.totalMs * SHARES[stage]) }],
  };
}

/** The image removes the donor's identity and restarts, because systemd has read the machine id already. */
function reboot(state: GuestState): Change {
  const forMs = Math.round(state.totalMs * REBOOT_SHARE);
  return {
    to: { stage: "booting", isProvisioned: false, isJoined: false },
    actions: [{ do: "scrub" }, { do: "wait", forMs }],
  };
}

/** A helper removes the identity from its disk and powers itself off: it never becomes a node. */
const SCRUB_AND_POWER_OFF: Change = {
  to: { stage: "stopped" },
  actions: [{ do: "scrub" }],
};

/** Installing updates delays what follows. */
function slower(byMs: number, { to, actions }: Change): Change {
  if (byMs === 0) return { to, actions };
  return {
    to,
    actions: actions.map((one) => (one.do === "wait" ? { ...one, forMs: one.forMs + byMs } : one)),
  };
}

/** The kubelet of a machine that stops falls silent; a machine that never joined has none. */
function silence({ isJoined }: GuestState): readonly GuestAction[] {
  return isJoined ? [{ do: "fallSilent" }] : [];
}

function powerOn(state: GuestState, event: GuestEvent, change: Partial<GuestState>): Change {
  const totalMs = "totalMs" in event ? event.totalMs : 0;
  const { to, actions } = enter("booting", { ...state, totalMs }, silence(state));
  return { to: { ...to, ...change, totalMs }, actions };
}

const freshDisk: Move = (state, event) =>
  powerOn(state, event, { isProvisioned: false, isJoined: false, failure: undefined });

const fail: Move = (_, event) => ({
  to: { stage: "failed", isProvisioned: true, ...("failure" in event && { failure: event.failure }) },
  actions: [],
});

/** Azure's events count in every stage. */
const FROM_OUTSIDE: Partial<Record<GuestEvent["kind"], Move>> = {
  booted: freshDisk,
  reimaged: freshDisk,
  started: (state, event) => powerOn(state, event, {}),
  stopped: (state) => ({ to: { stage: "stopped" }, actions: silence(state) }),
  deleted: (state) => ({ to: { stage: "deleted" }, actions: [...silence(state), { do: "forget" }] }),
};

/** The events of each stage; other events are ignored in it. */
const FROM_INSIDE: Partial<Record<Stage, Partial<Record<GuestEvent["kind"], Move>>>> = {
  booting: {
    elapsed: (state, event) => {
      const { isCopy = false, isHelper = false, updatesMs = 0 } = event.kind === "elapsed" ? event : {};
      if (isCopy) return isHelper ? SCRUB_AND_POWER_OFF : reboot(state);
      if (state.isJoined) return enter("registered", state, [{ do: "boot" }, { do: "register" }]);
      if (state.isProvisioned) return { to: { stage: "failed" }, actions: [{ do: "boot" }] };
      return slower(updatesMs, enter("cloud-init", state, [{ do: "boot" }]));
    },
  },
  "cloud-init": {
    elapsed: () => ({ to: {}, actions: [{ do: "provision" }] }),
    understood: (state) => enter("joining", state),
    failed: fail,
  },
  joining: {
    elapsed: () => ({ to: {}, actions: [{ do: "join" }] }),
    // Only a refused join waits for the Node with that name.
    nodeChanged: ({ failure }) => failure && { to: {}, actions: [{ do: "join" }] },
    refused: (_, event) => ({ to: { ...("failure" in event && { failure: event.failure }) }, actions: [] }),
    joined: (state) => {
      const { to, actions } = enter("registered", state, [{ do: "register" }]);
      return { to: { ...to, isProvisioned: true, isJoined: true, failure: undefined }, actions };
    },
    failed: fail,
  },
  registered: {
    elapsed: () => ({ to: { stage: "ready" }, actions: [{ do: "reportReady" }] }),
  },
  ready: {
    kubeletRestarted: (state) => enter("registered", state, [{ do: "register" }]),
    podsRestarted: () => ({ to: { stage: "restarting" }, actions: [{ do: "wait", forMs: PODS_RESTART_MS }] }),
  },
  restarting: {
    elapsed: (state) => enter("registered", state, [{ do: "register" }]),
  },
};

/** What the disk shows about a guest whose machine existed before this process. */
export interface Found {
  readonly isRunning: boolean;
  readonly isJoined: boolean;
  /** Why cloud-init ended without a node. */
  readonly failure: GuestFailure | undefined;
}

/** The state of a guest whose machine existed before this process. */
export function resumed({ isRunning, isJoined, failure }: Found, nowMs: number): GuestState {
  return {
    ...NEW_GUEST,
    stage: !isRunning ? "stopped" : isJoined ? "ready" : "failed",
    sinceMs: nowMs,
    isJoined,
    isProvisioned: isJoined || failure !== undefined,
    failure,
  };
}

/** The next step of a guest; undefined when the event is ignored. */
export function nextStep(state: GuestState, event: GuestEvent, nowMs: number): Step | undefined {
  if (state.stage === "deleted") return undefined;
  const move = FROM_OUTSIDE[event.kind] ?? FROM_INSIDE[state.stage]?.[event.kind];
  const change = move?.(state, event);
  if (!change) return undefined;
  const { to, actions } = change;
  const sinceMs = to.stage === undefined ? state.sinceMs : nowMs;
  return { state: { ...state, ...to, sinceMs }, actions };
}

/** How long a guest takes from power on to Ready. */
export function drawTotalMs(boot: Duration, rng: Rng): number {
  return Math.round(drawTypicalSeconds(boot, rng) * 1000);
}
