import { act, type ControlPlanePlan, headingOf } from "./action.ts";
import { memberHealth, removalVerdict } from "./quorum.ts";
import { isUpdating } from "./selection.ts";
import type { ControlPlaneView } from "./view.ts";

/**
 * Removes a member of etcd that has no machine: its machine was deleted without its member, or failed while it joined. While
 * a machine has no Node, a member without a machine may be its own, so all members stay.
 */
export function planStrayMember(view: ControlPlaneView): ControlPlanePlan | undefined {
  const { etcd, machines } = view;
  if (etcd.state !== "known" || view.creating !== undefined) return undefined;
  // The member of a machine that is updated may restart: until then, no other one leaves.
  if (machines.some((one) => one.nodeName === undefined || isUpdating(one))) return undefined;
  const names = new Set(machines.map(({ nodeName }) => nodeName));
  const [stray] = etcd.members
    .filter(({ name }) => name === "" || !names.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!stray) return undefined;
  // An unstarted member has no vote that could be missing.
  const isUnstarted = stray.name === "" || stray.isLearner;
  const verdict = removalVerdict(etcd.members, stray.id, memberHealth(view));
  if (!isUnstarted && !verdict.isSafe) return undefined;
  return act({
    ...headingOf(view),
    action: "RemoveEtcdMember",
    targets: [stray.name || stray.id],
    detail: { id: stray.id, machine: undefined },
    why: `no machine of the control plane belongs to etcd member ${stray.name || stray.id}`,
  });
}
