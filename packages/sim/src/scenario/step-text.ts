import { formatDuration } from "@capstan/api";
import type { Claims } from "./claims.ts";
import type { Action, Machines, NamedObject } from "./step.ts";

/** The text of a step, for the story. */
export function stepText(action: Action): string {
  const render = WORDS[action.do] as (action: Action) => string;
  return render(action);
}

/** A duration without the zeros that Kubernetes prints at its end. */
export function shortDuration(ms: number): string {
  return formatDuration(ms)
    .replace(/(?<=m)0s$/, "")
    .replace(/(?<=h)0m$/, "");
}

type Told = { readonly [D in Action["do"]]: (action: Extract<Action, { readonly do: D }>) => string };

const absence =
  (what: string) =>
  (action: { readonly manager: number; readonly forMs: number }): string =>
    `manager-${action.manager} ${what} for ${shortDuration(action.forMs)}`;

const WORDS: Told = {
  apply: ({ objects, cluster }) => {
    const names = objects.map(({ kind, object }) => `${kind.kind} ${object.metadata.name ?? ""}`);
    return `apply ${listed(names)} to ${cluster}`;
  },
  patch: (action) => `patch ${objectText(action)}`,
  delete: (action) => `delete ${objectText(action)}`,
  createScaleSet: ({ name, instances, cluster }) =>
    `create scale set ${name} with ${counted(instances, "machine")} for ${cluster}`,
  resize: ({ scaleSet, to }) => `resize ${scaleSet} to ${counted(to, "machine")}`,
  deleteScaleSet: ({ name }) => `delete scale set ${name}`,
  deploy: ({ name, replicas, cluster }) => `deploy ${name} with ${counted(replicas, "pod")} in ${cluster}`,
  machine: ({ action, ...machines }) => `${action} ${machinesText(machines)}`,
  drain: (machines) => `drain ${machinesText(machines)}`,
  uncordon: (machines) => `uncordon ${machinesText(machines)}`,
  wait: ({ ms }) => `wait ${shortDuration(ms)}`,
  until: ({ withinMs, ...claims }) =>
    `wait until ${claimsText(claims)}${withinMs === undefined ? "" : `, at most ${shortDuration(withinMs)}`}`,
  fault: ({ fault }) => `switch on ${fault.text}`,
  heal: ({ faults }) => (faults === "all" ? "switch off all faults" : `switch off ${faults}`),
  crash: absence("is killed and away"),
  stall: absence("stands still"),
};

/** The text of claims. */
function claimsText(claims: Claims): string {
  const {
    cluster,
    nodes,
    nodesReady,
    podsRunning,
    machines = [],
    guestsFailed = [],
    conditions = [],
  } = claims;
  return listed([
    ...(nodes === undefined ? [] : [`${cluster} has ${counted(nodes, "node")}`]),
    ...(nodesReady === undefined ? [] : [`${counted(nodesReady, "node")} of ${cluster} Ready`]),
    ...(podsRunning === undefined ? [] : [`${counted(podsRunning, "pod")} of ${cluster} running`]),
    ...machines.map(({ scaleSet, running }) => `${counted(running, "machine")} of ${scaleSet} running`),
    ...guestsFailed.map(({ reason, guests }) => `${counted(guests, "guest")} failed with ${reason}`),
    ...conditions.map(({ kind, name, type, status }) => `${kind.kind} ${name} has ${type} ${status}`),
  ]);
}

/** `1 node`, `2 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function objectText({ kind, name, namespace, cluster }: NamedObject): string {
  return `${kind.kind} ${namespace === undefined ? name : `${namespace}/${name}`} in ${cluster}`;
}

function machinesText({ scaleSet, instances }: Machines): string {
  if (instances === "all") return `all machines of ${scaleSet}`;
  return `${instances.length === 1 ? "machine" : "machines"} ${listed(instances)} of ${scaleSet}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
