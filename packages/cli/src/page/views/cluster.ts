import { Cluster, type Condition, KubeadmControlPlane, MachineDeployment, MachinePool } from "@capstan/api";
import type { ObjectName, ShownCondition, Tone, TreeHead, TreeRow, ViewState } from "@capstan/page";
import { partsOf } from "../../describe/read-parts.ts";
import { clusterTree, type Leaf } from "../../describe/cluster-tree.ts";
import type { LiveView } from "../live/follow-view.ts";
import { clusterNameOf } from "../live/live-objects.ts";
import type { ViewSources } from "./view-for.ts";

// Infrastructure of other providers is not watched.
const REFRESH_MS = 15_000;

/** The tree of a cluster, as `capstan describe cluster` shows it, with each machine on a line of its own. */
export function clusterView(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { live, now, flags }: ViewSources,
): LiveView {
  const reader = live.reader();
  const head = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: Cluster.kind, namespace, name };
  return {
    refreshMs: REFRESH_MS,
    note: ({ kind, object }) => {
      if (object.metadata.namespace !== namespace) return false;
      const of = kind.kind === Cluster.kind ? object.metadata.name : clusterNameOf(object);
      return of === name || of === undefined;
    },
    read: async (): Promise<ViewState<TreeHead, TreeRow>> => {
      const parts = await partsOf(reader, { namespace, name });
      const root = clusterTree(parts, { isGrouped: false, hasMachineSets: true, nowMs: now() });
      const rows = rowsOf(root, { depth: 0, parent: "" });
      return {
        head: {
          cluster: head,
          rollouts: rows.flatMap(({ object }) => (object && ROLLED.has(object.kind) ? [object] : [])),
          command: `npx capstan describe cluster ${name} -n ${namespace} ${flags}`.trim(),
        },
        rows,
      };
    },
  };
}

const ROLLED: ReadonlySet<string> = new Set(
  [KubeadmControlPlane, MachinePool, MachineDeployment].map(({ kind }) => kind),
);

interface Above {
  readonly depth: number;
  readonly parent: string;
}

function rowsOf(leaf: Leaf, { depth, parent }: Above): readonly TreeRow[] {
  const key = `${parent}/${leaf.name}`;
  const below = leaf.parts.flatMap((part) => rowsOf(part, { depth: depth + 1, parent: key }));
  return [rowOf(leaf, key, depth), ...below];
}

function rowOf(leaf: Leaf, key: string, depth: number): TreeRow {
  const { object, role = "", warnings = [], condition, name } = leaf;
  const counts = countsOf(leaf);
  const shown: ObjectName | undefined = object && { ...object, namespace: object.namespace ?? "" };
  return {
    key,
    depth,
    text: object?.name ?? name,
    role,
    ...(shown && { object: shown }),
    ...(counts && { counts }),
    warnings,
    ...(condition && { condition: shownCondition(condition) }),
    tone: toneOf(leaf),
  };
}

function countsOf({ desired, ready, available, upToDate }: Leaf): TreeRow["counts"] | undefined {
  const counts = Object.entries({ desired, ready, available, upToDate }).filter(
    ([, count]) => count !== undefined,
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

function toneOf({ needsUser, condition }: Leaf): Tone {
  if (needsUser === true) return "bad";
  if (!condition || condition.status === "Unknown") return "unknown";
  return condition.status === "True" ? "good" : "waiting";
}

/** A condition as the page shows it. */
export function shownCondition(condition: Condition): ShownCondition {
  const { type, status, reason = "", message = "", lastTransitionTime } = condition;
  const sinceMs = Date.parse(lastTransitionTime);
  return { type, status, reason, message, ...(Number.isFinite(sinceMs) && { sinceMs }) };
}
