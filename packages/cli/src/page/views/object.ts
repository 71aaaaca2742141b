import { type Condition, Event, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { ObjectHead, ObjectName, ShownEvent, ViewState } from "@capstan/page";
import { kindNamed } from "@capstan/manager";
import { stringify } from "yaml";
import type { LiveView } from "../live/follow-view.ts";
import { shownCondition } from "./cluster.ts";
import type { ViewSources } from "./view-for.ts";

// Events are not watched: one list for the object that is looked at.
const REFRESH_MS = 5_000;
const MOST_EVENTS = 50;

// Cluster API's own groups and those of its providers, and Azure Service Operator's. Secrets are in another one.
const SHOWN_GROUPS = /(^|\.)(cluster\.x-k8s\.io|azure\.com)$/;

/** Whether the page shows objects of a version at all. */
export function isShownGroup(apiVersion: string): boolean {
  const [group = "", version] = apiVersion.split("/");
  return version !== undefined && SHOWN_GROUPS.test(group);
}

/** One object, with its conditions, its events and what kubectl says about it. */
export function objectView(object: ObjectName, { live, client }: ViewSources): LiveView {
  const { namespace, name } = object;
  const kind = kindNamed(object.apiVersion, object.kind);
  const reader = live.reader();
  return {
    refreshMs: REFRESH_MS,
    note: ({ kind: changed, object: { metadata } }) =>
      changed.kind === object.kind && metadata.name === name && metadata.namespace === namespace,
    read: async (): Promise<ViewState<ObjectHead, ShownEvent>> => {
      const stored = (await reader.get(kind, { name, namespace })) as Stored;
      const fieldSelector = `involvedObject.uid=${stored.metadata.uid ?? ""}`;
      // A user who may read the object and not its events sees it without them.
      const events = await client.list(Event, { namespace, fieldSelector }).catch(() => []);
      return { head: headOf(stored, object, kind), rows: eventsOf(events) };
    },
  };
}

type Stored = Frozen<KubernetesObject> & { readonly status?: { readonly conditions?: readonly Condition[] } };

function headOf(stored: Stored, object: ObjectName, kind: Kind): ObjectHead {
  const { ownerReferences = [], namespace = "", name } = stored.metadata;
  const resource = `${kind.plural}.${kind.group}`;
  const place = `${name} -n ${namespace}`;
  return {
    object,
    owners: ownerReferences.map(({ apiVersion, kind: of, name: owner }) => ({
      apiVersion,
      kind: of,
      namespace,
      name: owner,
    })),
    conditions: (stored.status?.conditions ?? []).map(shownCondition),
    yaml: yamlOf(stored),
    commands: [`kubectl get ${resource} ${place} -o yaml`, `kubectl describe ${resource} ${place}`],
  };
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** As kubectl prints it: who owns which field and what was applied last would be most of it. */
function yamlOf({ metadata, ...rest }: Stored): string {
  const { managedFields: _, annotations, ...shown } = metadata;
  const { [LAST_APPLIED]: __, ...kept } = annotations ?? {};
  const { apiVersion, kind, ...fields } = rest;
  const more = Object.keys(kept).length > 0 ? { annotations: kept } : {};
  return stringify({ apiVersion, kind, metadata: { ...shown, ...more }, ...fields });
}

function eventsOf(events: readonly Frozen<Event>[]): readonly ShownEvent[] {
  return events
    .map((event) => ({
      key: event.metadata.uid ?? event.metadata.name,
      atMs: Date.parse(event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? ""),
      type: event.type ?? "Normal",
      reason: event.reason ?? "",
      message: event.message ?? "",
      count: event.count ?? 1,
    }))
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, MOST_EVENTS);
}
