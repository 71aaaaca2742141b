/** Control planes of healthy machines for tests of their planner. */
import { planControlPlane } from "./plan.ts";
import { ETCD_MEMBER_HEALTHY } from "./quorum.ts";
import type { ControlPlaneMachine, ControlPlaneView } from "./view.ts";

export function machine(name: string, changes: Partial<ControlPlaneMachine> = {}): ControlPlaneMachine {
  return {
    name,
    createdMs: Number(name.slice(1)),
    nodeName: name,
    isReachable: true,
    outdated: [],
    hasDeleteAnnotation: false,
    parts: [
      { part: "NodeReady", health: "healthy", why: "" },
      { part: ETCD_MEMBER_HEALTHY, health: "healthy", why: "" },
    ],
    waitsForRelease: false,
    hasHook: true,
    otherHooks: [],
    ...changes,
  };
}

export function view(
  machines: readonly ControlPlaneMachine[],
  changes: Partial<ControlPlaneView> = {},
): ControlPlaneView {
  const members = machines.map(({ name }, index) => ({
    id: String(index + 1),
    name,
    isLearner: false,
    hasAlarm: false,
  }));
  return {
    namespace: "default",
    name: "cp",
    replicas: 3,
    version: "v1.34.1",
    maxSurge: 1,
    isInitialized: true,
    failureDomains: [],
    machines,
    etcd: { state: "known", members, leader: "1" },
    remediation: { retryPeriodMs: 0, minHealthyPeriodMs: 3_600_000 },
    nowMs: 1_000_000,
    ...changes,
  };
}

/** The plan in a few words. */
export function planText(given: ControlPlaneView): readonly string[] {
  const { actions, blocked } = planControlPlane(given);
  return [
    ...actions.map(({ action, targets }) => `${action} ${targets.join()}`),
    ...blocked.map(({ reason, targets }) => `${reason} ${targets.join()}`),
  ];
}
