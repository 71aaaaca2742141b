/**
 * The topology of a Cluster with a ClusterClass in v1beta1: the schema includes it, so that it is refused with a clear message.
 */
import { MachineTaints } from "../../kubernetes/taint.ts";
import { TemplateMetadata } from "../../kubernetes/template-metadata.ts";
import {
  anyValue,
  boolean,
  integer,
  intOrPercent,
  listMap,
  listOf,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { DeletePolicy, rolloutLimits } from "../machine-fields.ts";
import { ConditionGates, deletionTimeouts } from "./fields.ts";
import { healthCheckFields } from "./machine-health-check.ts";

const Variables = listMap(
  "Values for the variables of the class.",
  object("The value of a variable.", {
    name: string("The name of the variable.", { minLength: 1, maxLength: 256 }),
    value: anyValue("The value."),
    definitionFrom: optional(string("Where the variable is defined.", { maxLength: 256 })),
  }),
  { keys: ["name"], maxItems: 1000 },
);

const Overrides = object("Values that differ from those of the cluster.", { overrides: optional(Variables) });

const HealthCheck = object("The health check of the machines.", {
  enable: optional(boolean("Whether it is enabled.")),
  ...healthCheckFields,
});

const Rollout = object(
  "When machines are replaced.",
  { after: optional(timestamp("Not before this time.")) },
  { minProperties: 1 },
);

const ControlPlane = object("The control plane.", {
  metadata: optional(TemplateMetadata),
  replicas: optional(integer("The desired number of control plane machines.")),
  machineHealthCheck: optional(HealthCheck),
  readinessGates: optional(ConditionGates),
  rollout: optional(Rollout),
  taints: optional(MachineTaints),
  variables: optional(Overrides),
  ...deletionTimeouts,
});

const workerFields = {
  name: string("The name within the topology.", { minLength: 1, maxLength: 63 }),
  class: string("The class of the workers.", { minLength: 1, maxLength: 256 }),
  metadata: optional(TemplateMetadata),
  replicas: optional(integer("The desired number of machines.")),
  minReadySeconds: optional(integer("How long a machine must be ready before it counts as available.")),
  taints: optional(MachineTaints),
  variables: optional(Overrides),
  ...deletionTimeouts,
};

const Deployment = object("A deployment of workers.", {
  ...workerFields,
  failureDomain: optional(string("The failure domain of the machines.", { minLength: 1, maxLength: 256 })),
  machineHealthCheck: optional(HealthCheck),
  readinessGates: optional(ConditionGates),
  rollout: optional(Rollout),
  strategy: optional(
    object("How machines are updated to a new template.", {
      type: optional(oneOf("How machines are replaced.", ["RollingUpdate", "OnDelete"])),
      rollingUpdate: optional(
        object("The limits of a rolling update.", { ...rolloutLimits, deletePolicy: optional(DeletePolicy) }),
      ),
      remediation: optional(
        object("How unhealthy machines are replaced.", {
          maxInFlight: optional(intOrPercent("How many may be replaced at once.")),
        }),
      ),
    }),
  ),
});

const Pool = object("A pool of workers.", {
  ...workerFields,
  failureDomains: optional(
    listOf(
      "The failure domains of the machines.",
      string("A failure domain.", { minLength: 1, maxLength: 256 }),
      {
        maxItems: 100,
      },
    ),
  ),
});

/** The topology of a cluster with a class. */
export const Topology = object("The topology of a cluster with a class. ClusterClass is not supported yet.", {
  class: string("The name of the class.", { minLength: 1, maxLength: 253 }),
  classNamespace: optional(
    string("The namespace of the class.", {
      minLength: 1,
      maxLength: 63,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    }),
  ),
  version: string("The Kubernetes version.", { minLength: 1, maxLength: 256 }),
  rolloutAfter: optional(timestamp("Has no effect; kept for old manifests.")),
  controlPlane: optional(ControlPlane),
  workers: optional(
    object("The workers.", {
      machineDeployments: optional(
        listMap("The deployments of workers.", Deployment, { keys: ["name"], maxItems: 2000 }),
      ),
      machinePools: optional(listMap("The pools of workers.", Pool, { keys: ["name"], maxItems: 2000 })),
    }),
  ),
  variables: optional(Variables),
});
