import { Spec, Status } from "../cluster/v1beta2/cluster.ts";
import type { PrinterColumn } from "../kind.ts";
import {
  AGE_COLUMN,
  conditionColumn,
  PAUSED_COLUMN,
  PHASE_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { isJsonObject } from "../values/json-object.ts";
import { newerVersion } from "./by-rules.ts";
import { clusterTopology } from "./cluster-topology.ts";
import { fieldPath, type Fields, putField, takeField } from "./field-path.ts";
import { reference } from "./references.ts";
import { type FieldRule, intent, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields } from "./status-rules.ts";

/** Clusters of v1beta2. */
export const clusterV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  columns: [
    {
      name: "ClusterClass",
      type: "string",
      jsonPath: ".spec.topology.classRef.name",
      description: "The class it is made from.",
    },
    conditionColumn("Available", "Available"),
    ...machineColumns("CP", "controlPlane"),
    ...machineColumns("W", "workers"),
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.topology.version"),
  ],
  fieldRules: [
    intent("spec.paused", "spec.paused"),
    reference("spec.controlPlaneRef"),
    reference("spec.infrastructureRef"),
    ...clusterTopology("spec.topology"),
    intent("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
    intent("status.controlPlaneReady", "status.initialization.controlPlaneInitialized"),
    failureDomains("status.failureDomains"),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    ...nextVersionFields("controlPlane", "workers"),
    olderOnly("status.v1beta2"),
  ],
});

function machineColumns(title: string, field: string): PrinterColumn[] {
  const column = (name: string, counter: string, priority?: 1): PrinterColumn => ({
    name: `${title} ${name}`,
    type: "integer",
    jsonPath: `.status.${field}.${counter}`,
    description: "The number of such machines.",
    ...(priority && { priority }),
  });
  return [
    column("Desired", "desiredReplicas"),
    column("Current", "replicas", 1),
    column("Ready", "readyReplicas", 1),
    column("Available", "availableReplicas"),
    column("Up-to-date", "upToDateReplicas"),
  ];
}

/** Failure domains: a map by name in the older version, a list in the order of the names in the newer one. */
function failureDomains(field: string): FieldRule {
  const path = fieldPath(field);
  return {
    older: [field],
    newer: [field],
    up: ({ object }) => {
      const domains = takeField(object, path);
      if (!isJsonObject(domains)) return;
      const names = Object.keys(domains).sort();
      const list = names.map((name) => ({ name, ...(domains[name] as Fields) }));
      putField(object, path, list);
    },
    down: ({ object }) => {
      const domains = takeField(object, path);
      if (!Array.isArray(domains)) return;
      const entries = domains
        .filter(isJsonObject)
        .map(({ name, ...domain }): [string, Fields] => [String(name), domain]);
      putField(object, path, Object.fromEntries(entries));
    },
  };
}
