import { formatTimestamp } from "@capstan/api";
import { about, act, type ControlPlanePlan, headingOf, refusal } from "./action.ts";
import { etcdUnknown, planLeader } from "./release.ts";
import { memberHealth, memberOf, removalVerdict } from "./quorum.ts";
import { isDeleting, isHealthy, isUpdating } from "./selection.ts";
import type { ControlPlaneMachine, ControlPlaneView, RemediationRecord } from "./view.ts";

/** Replaces a machine that a health check has marked, one at a time, if etcd keeps its quorum without it. */
export function planRemediation(view: ControlPlaneView): ControlPlanePlan | undefined {
  const marked = view.machines.filter((one) => one.remediation !== undefined && !isDeleting(one));
  const [machine] = marked.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1),
  );
  if (!machine) return undefined;
  // The replacement of the last remediated machine comes first.
  if (view.remediationInProgress) return undefined;
  const retry = retryOf(view, machine);
  if ("why" in retry) return about(machine.name, refusal(view, retry.reason, retry.why));
  const refused = view.isInitialized ? refusalOf(view, machine) : undefined;
  if (refused) return refused;
  return act({
    ...headingOf(view),
    action: "Remediate",
    targets: [machine.name],
    detail: { cause: machine.remediation ?? "Unhealthy", record: retry },
    why:
      machine.remediation === "Requested"
        ? "a user asked to replace it"
        : "a health check says that it is unhealthy",
  });
}

/** What users asked for, machines without a Node, those with a broken part, then the oldest. */
function rankOf(machine: ControlPlaneMachine): number {
  if (machine.remediation === "Requested") return 0;
  if (machine.nodeName === undefined) return 1;
  return isHealthy(machine) ? 3 : 2;
}

type Refused = { readonly reason: "RemediationDeferred" | "CannotBeRemediated"; readonly why: string };

/** The record of this remediation, or why it has to wait: the same machine must not be replaced again and again. */
function retryOf(view: ControlPlaneView, machine: ControlPlaneMachine): RemediationRecord | Refused {
  const { nowMs, remediation: policy } = view;
  const first = { machine: machine.name, timestampMs: nowMs, retryCount: 0 };
  const before = machine.remediationFor;
  if (!before || nowMs - before.timestampMs > policy.minHealthyPeriodMs) return first;
  const agoMs = nowMs - before.timestampMs;
  if (agoMs < policy.retryPeriodMs) {
    // A time, not what is left of it: a message that changes with each pass would be written with each pass.
    const nextAt = formatTimestamp(before.timestampMs + policy.retryPeriodMs);
    const why = `Machine ${machine.name} replaced ${before.machine}; the next attempt is at ${nextAt} (spec.remediation.retryPeriodSeconds)`;
    return { reason: "RemediationDeferred", why };
  }
  if (policy.maxRetry !== undefined && before.retryCount >= policy.maxRetry) {
    const why = `Machine ${machine.name} is attempt ${before.retryCount + 1}, and spec.remediation.maxRetry allows ${policy.maxRetry}; correct the cause, then delete the Machine`;
    return { reason: "CannotBeRemediated", why };
  }
  return { ...first, retryCount: before.retryCount + 1 };
}

function refusalOf(view: ControlPlaneView, machine: ControlPlaneMachine): ControlPlanePlan | undefined {
  const refuse = (why: string): ControlPlanePlan =>
    about(
      machine.name,
      refusal(view, "RemediationDeferred", `Machine ${machine.name} is not replaced: ${why}`),
    );
  const others = view.machines.filter((one) => one !== machine);
  if (others.length === 0) return refuse("it is the only machine of the control plane");
  const deleting = others.find(isDeleting);
  if (deleting) return refuse(`Machine ${deleting.name} is being deleted`);
  const joining = others.find((one) => one.nodeName === undefined && one.remediation === undefined);
  if (joining) return refuse(`Machine ${joining.name} has no Node yet`);
  const updating = others.find(isUpdating);
  if (updating) return refuse(`Machine ${updating.name} is being updated in place`);
  return etcdRefusalOf(view, machine);
}

function etcdRefusalOf(view: ControlPlaneView, machine: ControlPlaneMachine): ControlPlanePlan | undefined {
  const { etcd } = view;
  if (etcd.state === "external") return undefined;
  if (etcd.state !== "known") return etcdUnknown(view, etcd, machine.name);
  const member = memberOf(etcd.members, machine);
  const verdict = removalVerdict(etcd.members, member?.id ?? "", memberHealth(view));
  if (verdict.isSafe) return planLeader(view, machine, { members: etcd.members, leader: etcd.leader });
  const why = `etcd cannot lose the member of ${machine.name}: ${verdict.why}`;
  return about(machine.name, refusal(view, "QuorumAtRisk", why));
}
