import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectIn, objectMadeIn, objectsIn } from "../fields.ts";
import { defaultPodTemplate } from "./pod.ts";

// Old revisions to roll back to.
const KEPT_REVISIONS = 10;

/** Sets the defaults of a deployment. */
export function defaultDeployment(deployment: Draft): void {
  const spec = defaultWorkload(deployment);
  fillIn(spec, { replicas: 1, revisionHistoryLimit: KEPT_REVISIONS, progressDeadlineSeconds: 600 });
  const strategy = objectMadeIn(spec, "strategy");
  fillIn(strategy, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return;
  fillIn(objectMadeIn(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
}

/** Sets the defaults of a replica set. */
export function defaultReplicaSet(replicaSet: Draft): void {
  fillIn(defaultWorkload(replicaSet), { replicas: 1 });
}

/** Sets the defaults of a stateful set. */
export function defaultStatefulSet(statefulSet: Draft): void {
  const spec = defaultWorkload(statefulSet);
  fillIn(spec, { replicas: 1, podManagementPolicy: "OrderedReady", revisionHistoryLimit: KEPT_REVISIONS });
  fillIn(objectMadeIn(spec, "persistentVolumeClaimRetentionPolicy"), {
    whenDeleted: "Retain",
    whenScaled: "Retain",
  });
  for (const claim of objectsIn(spec, "volumeClaimTemplates")) {
    fillIn(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
    fillIn(objectMadeIn(claim, "spec"), { volumeMode: "Filesystem" });
    fillIn(objectMadeIn(claim, "status"), { phase: "Pending" });
  }
  const strategy = objectMadeIn(spec, "updateStrategy");
  fillIn(strategy, { type: "RollingUpdate" });
  if (strategy["type"] === "RollingUpdate") fillIn(objectMadeIn(strategy, "rollingUpdate"), { partition: 0 });
}

/** Sets the defaults of a daemon set. */
export function defaultDaemonSet(daemonSet: Draft): void {
  const spec = defaultWorkload(daemonSet);
  fillIn(spec, { revisionHistoryLimit: KEPT_REVISIONS });
  const strategy = objectMadeIn(spec, "updateStrategy");
  fillIn(strategy, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return;
  fillIn(objectMadeIn(strategy, "rollingUpdate"), { maxUnavailable: 1, maxSurge: 0 });
}

/** Sets the defaults of a job. Without any number it is one pod; with one of them the other stays unset. */
export function defaultJob(job: Draft): void {
  const spec = defaultWorkload(job);
  if (spec["completions"] === undefined && spec["parallelism"] === undefined) spec["completions"] = 1;
  fillIn(spec, {
    parallelism: 1,
    backoffLimit: spec["backoffLimitPerIndex"] === undefined ? 6 : 2_147_483_647,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed",
  });
  const { labels } = objectIn(objectIn(spec, "template"), "metadata");
  if (labels) job.metadata.labels ??= { ...(labels as Record<string, string>) };
}

function defaultWorkload(workload: Draft): Fields {
  const spec = objectMadeIn(workload, "spec");
  defaultPodTemplate(spec);
  return spec;
}
