import { customKinds, isJsonObject } from "@capstan/api";
import type { GroupKind } from "@capstan/sim";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, metadataOf } from "./owned-objects.ts";

/** Who runs the controllers of one API group. */
type Carrier = "Capstan" | "Cluster API" | "CAPZ" | "unknown";

/** Who carries a change out. */
export interface Carriers {
  /** By API group. */
  readonly of: (group: string) => Carrier;
  /** The first line of the answer. */
  readonly line: string;
}

const CORE = "cluster.x-k8s.io";
const CONTROL_PLANE = "controlplane.cluster.x-k8s.io";
const BOOTSTRAP = "bootstrap.cluster.x-k8s.io";
const INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io";
const GROUPS = [CORE, BOOTSTRAP, CONTROL_PLANE, INFRASTRUCTURE] as const;

/** Field managers of upstream's controllers. */
const UPSTREAM: readonly RegExp[] = [/^capi-/, /^capz-/, /^manager$/, /^cluster-api/];
const CAPSTAN = "capstan";

/** Who carries a change out: by labels of CRDs, else by the managers of fields, else assumed. */
export function carriersOf(objects: readonly GivenObject[]): Carriers {
  const byLabel = new Map(GROUPS.map((group) => [group as string, byLabels(objects, group)]));
  const byField = new Map(GROUPS.map((group) => [group as string, byManagers(objects, group)]));
  const of = (group: string): Carrier => byLabel.get(group) ?? byField.get(group) ?? "unknown";
  const isLabelled = GROUPS.some((group) => byLabel.get(group) !== undefined);
  const isKnown = GROUPS.some((group) => of(group) !== "unknown");
  return { of, line: lineOf(of, { isLabelled, isKnown }) };
}

function lineOf(
  of: (group: string) => Carrier,
  { isLabelled, isKnown }: { readonly isLabelled: boolean; readonly isKnown: boolean },
): string {
  if (!isKnown)
    return "Carried out by Capstan (assumed: neither CRDs nor managedFields are given; kubectl get --show-managed-fields has them).";
  const source = isLabelled ? "the labels of the CRDs" : "managedFields";
  const names = [...new Set(GROUPS.map(of))].filter((one) => one !== "unknown");
  const [only] = names;
  if (names.length === 1) return `Carried out by ${only}, as ${source} say.`;
  const parts = GROUPS.flatMap((group) => (of(group) === "unknown" ? [] : [`${group} by ${of(group)}`]));
  return `Carried out by several programs, as ${source} say: ${parts.join(", ")}.`;
}

/** CRDs that Capstan installs name it; those of providers name the provider. */
function byLabels(objects: readonly GivenObject[], group: string): Carrier | undefined {
  const names = new Set(
    customKinds.flatMap((kind) => (kind.group === group ? [`${kind.plural}.${group}`] : [])),
  );
  const definitions = objects.filter(
    ({ kind, metadata }) => kind === "CustomResourceDefinition" && names.has(metadata.name),
  );
  for (const definition of definitions) {
    const labels = metadataOf(definition)["labels"];
    if (!isJsonObject(labels)) continue;
    if (labels["app.kubernetes.io/managed-by"] === CAPSTAN) return "Capstan";
    if (labels["cluster.x-k8s.io/provider"] !== undefined)
      return group === INFRASTRUCTURE ? "CAPZ" : "Cluster API";
  }
  return undefined;
}

function byManagers(objects: readonly GivenObject[], group: string): Carrier | undefined {
  const managers = objects
    .filter(({ apiVersion }) => apiVersion.startsWith(`${group}/`))
    .flatMap((object) => {
      const entries = metadataOf(object)["managedFields"];
      return Array.isArray(entries) ? entries.map((entry) => String(fieldOf(entry, "manager"))) : [];
    });
  if (managers.some((name) => name === CAPSTAN || name.startsWith(`${CAPSTAN}-`))) return "Capstan";
  if (!managers.some((name) => UPSTREAM.some((pattern) => pattern.test(name)))) return undefined;
  return group === INFRASTRUCTURE ? "CAPZ" : "Cluster API";
}

/** Why a group is not judged: what moves its machines is not Capstan's. */
export function noVerdictFor({ of }: Carriers, kind: GroupKind): string | undefined {
  const isAzure = kind === "MachinePool" || kind === "AzureManagedControlPlane";
  return isAzure && of(INFRASTRUCTURE) === "CAPZ" ? "CAPZ runs it, not Capstan" : undefined;
}

/** Where the rules of upstream's core differ from those that the rehearsal runs, for the kinds that upstream runs. */
export function differencesOf({ of }: Carriers): readonly string[] {
  return of(CORE) === "Cluster API" || of(CONTROL_PLANE) === "Cluster API" ? DIFFERENCES : [];
}

const DIFFERENCES: readonly string[] = [
  "Cluster API polls where Capstan watches: its waves begin up to 10 s to 20 s later each",
  "Cluster API updates machines in place only with an extension of its own hooks; ExternalUpdate is Capstan's",
  "Cluster API drains by MachineDrainRules; Capstan reads them, too, and drains at most one machine of a control plane at once",
];
