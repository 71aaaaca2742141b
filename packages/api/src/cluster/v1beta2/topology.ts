/** The topology of a Cluster with a ClusterClass in v1beta2: it is in the schema so that it is refused with a clear message. */
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
import { ConditionGates, deletionTimeouts, DNS_SUBDOMAIN } from "./fields.ts";
import { healthChecks, remediationFields } from "./machine-health-check.ts";

const Variables = listMap(
  "Values for the variables of the class.",
  object("The value of a variable.", {
    name: string("The name of the variable.", { minLength: 1, maxLength: 256 }),
    value: anyValue("The value."),
  }),
  { keys: ["name"], maxItems: 1000 },
);

const Overrides = object("Values that differ from those of the cluster.", { overrides: optional(Variables) });

const checks = {
  enabled: optional(boolean("Whether it is enabled.")),
  checks: optional(object("When a machine is unhealthy.", healthChecks)),
};

const ControlPlane = object("The control plane.", {
  metadata: optional(TemplateMetadata),
  replicas: optional(integer("The desired number of control plane machines.")),
  healthCheck: optional(
    object("The health check of the machines.", {
      ...checks,
      remediation: optional(object("When and how a machine is replaced.", remediationFields)),
    }),
  ),
  readinessGates: optional(ConditionGates),
  rollout: optional(
    object("When machines are replaced.", { after: optional(timestamp("Not before this time.")) }),
  ),
  taints: optional(MachineTaints),
  variables: optional(Overrides),
  deletion: optional(object("How machines are deleted.", deletionTimeouts)),
});

const workerFields = {
  name: string("The name within the topology.", { minLength: 1, maxLength: 63, pattern: DNS_SUBDOMAIN }),
  class: string("The class of the workers.", { minLength: 1, maxLength: 256 }),
  metadata: optional(TemplateMetadata),
  replicas: optional(integer("The desired number of machines.")),
  minReadySeconds: optional(
    integer("How long a machine must be ready before it counts as available.", { minimum: 0 }),
  ),
  taints: optional(MachineTaints),
  variables: optional(Overrides),
};

const Deployment = object("A deployment of workers.", {
  ...workerFields,
  failureDomain: optional(string("The failure domain of the machines.", { minLength: 1, maxLength: 256 })),
  deletion: optional(
    object("How machines are deleted.", { ...deletionTimeouts, order: optional(DeletePolicy) }),
  ),
  healthCheck: optional(
    object("The health check of the machines.", {
      ...checks,
      remediation: optional(
        object("When and how a machine is replaced.", {
          maxInFlight: optional(intOrPercent("How many may be replaced at once.")),
          ...remediationFields,
        }),
      ),
    }),
  ),
  readinessGates: optional(ConditionGates),
  rollout: optional(
    object("When and how machines are replaced.", {
      after: optional(timestamp("Not before this time.")),
      strategy: optional(
        object("How machines are updated to a new template.", {
          type: oneOf("How machines are replaced.", ["RollingUpdate", "OnDelete"]),
          rollingUpdate: optional(object("The limits of a rolling update.", rolloutLimits)),
        }),
      ),
    }),
  ),
});

const Pool = object("A pool of workers.", {
  ...workerFields,
  deletion: optional(object("How machines are deleted.", deletionTimeouts)),
  failureDomains: optional(
    listOf(
      "The failure domains of the machines.",
      string("A failure domain.", { minLength: 1, maxLength: 256 }),
      { maxItems: 100 },
    ),
  ),
});

/** The topology of a cluster with a class. */
export const Topology = object("The topology of a cluster with a class. ClusterClass is not supported yet.", {
  classRef: object("The class.", {
    name: string("The name of the class.", { minLength: 1, maxLength: 253, pattern: DNS_SUBDOMAIN }),
    namespace: optional(
      string("The namespace of the class.", {
        minLength: 1,
        maxLength: 63,
        pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      }),
    ),
  }),
  version: string("The Kubernetes version.", { minLength: 1, maxLength: 256 }),
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
