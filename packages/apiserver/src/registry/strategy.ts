import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type Kind,
} from "@capstan/api";
import { builtInDefaults } from "../built-in/defaults/defaults.ts";
import { defaultNamespace } from "../built-in/defaults/core.ts";
import { initialStatus } from "../built-in/preparation/initial-status.ts";
import { prepareJob } from "../built-in/preparation/job.ts";
import { preparePod } from "../built-in/preparation/pod.ts";
import { prepareService } from "../built-in/preparation/service.ts";
import { pathSegmentProblems } from "../schema/object-meta.ts";
import { builtInValidation } from "../built-in/validation/validation.ts";
import type { FieldProblem } from "../schema/problem.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";

/** How a kind differs from others: what kube-apiserver has in a strategy for each resource. */
export interface Strategy {
  /** Counts changes of the desired state in `metadata.generation`. */
  readonly generation: boolean;
  /** An update may omit the resourceVersion and then replaces any version. */
  readonly unconditionalUpdate: boolean;
  /** An update of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** A create may set a status although the kind has a status subresource. */
  readonly statusOnCreate: boolean;
  /** A status update may also change labels, annotations, finalizers. */
  readonly metadataWithStatus: boolean;
  /** A delete answers with the deleted object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** A deletion sets only the timestamp: there is no grace period, and the generation stays. */
  readonly plainDeletion: boolean;
  /** It is never stored: a create is a question, and its result the answer. */
  readonly onlyAnswered: boolean;
  /** Its defaulting changes no existing values, so that a patch can reuse stored parts. */
  readonly sharesParts: boolean;
  /** Fields that a field selector may use beside `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Validates a name. */
  nameProblems(name: string): readonly string[];
  /** Sets the defaults, before anything else reads the object. */
  defaults?(draft: Draft): void;
  /** Sets the fields that the server decides when an object of this kind is created or, with `old`, updated. */
  prepare?(draft: Draft, old: StoredObject | undefined): void;
  /** Validates an object of this kind beyond its metadata and schema. */
  problems?(draft: Draft, old: StoredObject | undefined): readonly FieldProblem[];
  /** Warnings about fields that are valid but probably a mistake. */
  warnings?(draft: Draft, old: StoredObject | undefined): readonly string[];
  /** How long a delete waits for the kubelet or a similar client; absent: not at all. */
  graceSeconds?(object: StoredObject, asked: number | undefined): number;
  /** Something other than `metadata.finalizers` that keeps a deleted object. */
  heldBack?(object: StoredObject | Draft): boolean;
  /** Marks an object whose deletion has begun. */
  markDeleting?(draft: Draft): void;
}

const CUSTOM: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  createOnUpdate: false,
  statusOnCreate: false,
  metadataWithStatus: false,
  returnsDeleted: false,
  plainDeletion: false,
  onlyAnswered: false,
  sharesParts: true,
  nameProblems: dns1123SubdomainProblems,
  selectableFields: [],
};

const BUILT_IN: Strategy = {
  ...CUSTOM,
  generation: false,
  unconditionalUpdate: true,
  metadataWithStatus: true,
  sharesParts: false,
};
const WITH_GENERATION: Partial<Strategy> = { generation: true };
const ANSWERED: Partial<Strategy> = { onlyAnswered: true };
const ROLE: Partial<Strategy> = { createOnUpdate: true, nameProblems: pathSegmentProblems };

const POD_FIELDS = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.nominatedNodeName",
];

const EVENT_FIELDS = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "involvedObject.resourceVersion",
  "involvedObject.fieldPath",
  "reason",
  "reportingComponent",
  "source",
  "type",
];

// A pod without a grace period gets 30 seconds, as the API documents for the field.
const DEFAULT_GRACE_SECONDS = 30;

const DIFFERENCES: Readonly<Record<string, Partial<Strategy>>> = {
  "/Namespace": {
    nameProblems: namespaceNameProblems,
    plainDeletion: true,
    selectableFields: ["status.phase"],
    prepare: prepareNamespace,
    heldBack: (namespace) => ((namespace["spec"] as NamespaceSpec)?.finalizers ?? []).length > 0,
    markDeleting: (draft) => {
      draft["status"] = { ...(draft["status"] as object), phase: "Terminating" };
    },
  },
  "/Node": { statusOnCreate: true, sharesParts: true, selectableFields: ["spec.unschedulable"] },
  "/Pod": {
    generation: true,
    returnsDeleted: true,
    selectableFields: POD_FIELDS,
    prepare: preparePod,
    graceSeconds: podGraceSeconds,
  },
  "/Event": { createOnUpdate: true, selectableFields: EVENT_FIELDS },
  "/Secret": { selectableFields: ["type"] },
  "/Service": { nameProblems: dns1035LabelProblems, prepare: prepareService },
  "/ServiceAccount": { returnsDeleted: true },
  "events.k8s.io/Event": {
    createOnUpdate: true,
    selectableFields: EVENT_FIELDS.map((field) =>
      field.replace("involvedObject.", "regarding.").replace("reportingComponent", "reportingController"),
    ),
  },
  "authentication.k8s.io/SelfSubjectReview": ANSWERED,
  "authentication.k8s.io/TokenReview": ANSWERED,
  "authorization.k8s.io/LocalSubjectAccessReview": ANSWERED,
  "authorization.k8s.io/SelfSubjectAccessReview": ANSWERED,
  "authorization.k8s.io/SelfSubjectRulesReview": ANSWERED,
  "authorization.k8s.io/SubjectAccessReview": ANSWERED,
  "coordination.k8s.io/Lease": { createOnUpdate: true, unconditionalUpdate: false },
  "apps/Deployment": WITH_GENERATION,
  "apps/ReplicaSet": WITH_GENERATION,
  "apps/DaemonSet": WITH_GENERATION,
  "apps/StatefulSet": WITH_GENERATION,
  "batch/Job": { generation: true, prepare: prepareJob },
  "batch/CronJob": WITH_GENERATION,
  "policy/PodDisruptionBudget": WITH_GENERATION,
  "rbac.authorization.k8s.io/Role": ROLE,
  "rbac.authorization.k8s.io/RoleBinding": ROLE,
  "rbac.authorization.k8s.io/ClusterRole": ROLE,
  "rbac.authorization.k8s.io/ClusterRoleBinding": ROLE,
};

/** The strategy of a kind of Kubernetes itself. */
export function builtInStrategy(kind: Kind): Strategy {
  const name = `${kind.group}/${kind.kind}`;
  const defaults = builtInDefaults[name];
  const prepare = initialStatus(name);
  const problems = builtInValidation[name];
  return {
    ...BUILT_IN,
    ...(prepare && { prepare }),
    ...DIFFERENCES[name],
    ...(defaults && { defaults }),
    ...(problems && { problems }),
  };
}

/** The strategy of a kind that a CRD defines. */
export function customStrategy(selectableFields: readonly string[]): Strategy {
  return { ...CUSTOM, selectableFields };
}

interface NamespaceSpec {
  readonly finalizers?: readonly string[];
}

function namespaceNameProblems(name: string): readonly string[] {
  return name.includes(".") ? ["must not contain dots"] : dns1123LabelProblems(name);
}

/** Every namespace has its name as a label, and stays until its content is deleted. */
function prepareNamespace(draft: Draft, old: StoredObject | undefined): void {
  defaultNamespace(draft);
  if (old) {
    // Only the subresource `finalize` removes the finalizers of a namespace.
    draft["spec"] = old["spec"];
    return;
  }
  const { finalizers = [] } = (draft["spec"] ?? {}) as NamespaceSpec;
  draft["spec"] = { ...(draft["spec"] as object), finalizers: [...new Set([...finalizers, "kubernetes"])] };
  draft["status"] = { phase: "Active" };
}

/** A pod without a node, or that has ended, needs no time to stop. */
function podGraceSeconds(pod: StoredObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds } = (pod["spec"] ?? {}) as Record<string, unknown>;
  const { phase } = (pod["status"] ?? {}) as Record<string, unknown>;
  if (!nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  if (asked !== undefined) return asked;
  return typeof terminationGracePeriodSeconds === "number"
    ? terminationGracePeriodSeconds
    : DEFAULT_GRACE_SECONDS;
}
