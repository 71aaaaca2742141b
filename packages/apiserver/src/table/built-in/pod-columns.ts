import {
  AGE,
  at,
  type Column,
  column,
  isConditionTrue,
  list,
  NAME,
  NONE,
  text,
  wideColumn,
} from "../column.ts";
import { podSummary } from "./pod-summary.ts";

/** The columns of Pod. */
export const podColumns: readonly Column[] = [
  NAME,
  column("Ready", "The containers that are ready, of all.", (pod, now) => podSummary(pod, now).ready),
  column("Status", "What the pod is doing.", (pod, now) => podSummary(pod, now).status),
  column(
    "Restarts",
    "How often its containers were restarted, and when last.",
    (pod, now) => podSummary(pod, now).restarts,
  ),
  AGE,
  wideColumn(
    "IP",
    "Its address inside the cluster.",
    ({ status }) => text(at(list(at(status, "podIPs"))[0], "ip")) || text(at(status, "podIP")) || NONE,
  ),
  wideColumn("Node", "The node it runs on.", ({ spec }) => text(at(spec, "nodeName")) || NONE),
  wideColumn(
    "Nominated Node",
    "The node on which pods are preempted for it.",
    ({ status }) => text(at(status, "nominatedNodeName")) || NONE,
  ),
  wideColumn(
    "Readiness Gates",
    "The additional conditions that are true, of its readiness gates.",
    ({ spec, status }) => {
      const gates = list(at(spec, "readinessGates")).map((gate) => text(at(gate, "conditionType")));
      const open = gates.filter((type) => isConditionTrue(at(status, "conditions"), type));
      return gates.length === 0 ? NONE : `${open.length}/${gates.length}`;
    },
  ),
];
