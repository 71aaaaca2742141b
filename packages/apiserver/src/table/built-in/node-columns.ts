import { AGE, at, type Column, column, fields, list, NAME, NONE, text, wideColumn } from "../column.ts";
import { UNKNOWN } from "../human-duration.ts";

/** The columns of Node. */
export const nodeColumns: readonly Column[] = [
  NAME,
  column("Status", "Whether the node is ready, and whether it takes pods.", statusOf),
  column("Roles", "What the node is for, by its labels.", ({ metadata }) => rolesOf(metadata.labels)),
  AGE,
  column("Version", "The version of its kubelet.", ({ status }) =>
    text(at(status, "nodeInfo", "kubeletVersion")),
  ),
  wideColumn("Internal-IP", "Its address inside the cluster.", ({ status }) =>
    addressOf(status, "InternalIP"),
  ),
  wideColumn("External-IP", "Its address outside the cluster.", ({ status }) =>
    addressOf(status, "ExternalIP"),
  ),
  wideColumn("OS-Image", "Its operating system.", ({ status }) => infoOf(status, "osImage")),
  wideColumn("Kernel-Version", "The version of its kernel.", ({ status }) => infoOf(status, "kernelVersion")),
  wideColumn("Container-Runtime", "What runs its containers.", ({ status }) =>
    infoOf(status, "containerRuntimeVersion"),
  ),
];

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

function statusOf({ spec, status }: { readonly [field: string]: unknown }): string {
  const ready = list(at(status, "conditions")).find((condition) => at(condition, "type") === "Ready");
  const isReady = at(ready, "status") === "True";
  const health = ready === undefined ? "Unknown" : isReady ? "Ready" : "NotReady";
  return at(spec, "unschedulable") === true ? `${health},SchedulingDisabled` : health;
}

function rolesOf(labels: unknown): string {
  const roles = fields(labels).map(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
    return key === ROLE_LABEL ? text(value) : "";
  });
  return (
    [...new Set(roles)]
      .filter((role) => role !== "")
      .sort()
      .join(",") || NONE
  );
}

function addressOf(status: unknown, type: string): string {
  const found = list(at(status, "addresses")).find((address) => at(address, "type") === type);
  return text(at(found, "address")) || NONE;
}

function infoOf(status: unknown, field: string): string {
  return text(at(status, "nodeInfo", field)) || UNKNOWN;
}
