/** Fields of machines and of their owners that are the same in all versions. */
import { integer, intOrPercent, listMap, object, oneOf, optional, string } from "../schema/schema.ts";

/** The cluster that an object belongs to. Immutable. */
export const ClusterName = string("The cluster it belongs to.", {
  minLength: 1,
  maxLength: 63,
  rules: [{ rule: "self == oldSelf", message: "clusterName is immutable", reason: "FieldValueForbidden" }],
});

/** The Kubernetes version of a machine. */
export const KubernetesVersion = string("The Kubernetes version, such as v1.31.2.", {
  minLength: 1,
  maxLength: 256,
});

/** The selector of the machines in the status, which `kubectl scale` reads. */
export const ScaleSelector = string("The selector as text, for `kubectl scale`.", {
  minLength: 1,
  maxLength: 4096,
});

/** Which machines are deleted first when there are too many. */
export const DeletePolicy = oneOf("Which machines are deleted first when there are too many.", [
  "Random",
  "Newest",
  "Oldest",
]);

/** How many machines of which version there are. */
export const Versions = listMap(
  "The versions of the machines.",
  object("How many machines have a version.", {
    version: string("The Kubernetes version.", { minLength: 1, maxLength: 256 }),
    replicas: optional(integer("How many machines have it.", { minimum: 1 })),
  }),
  { keys: ["version"], minItems: 1, maxItems: 100 },
);

/** The limits of a rolling update. */
export const rolloutLimits = {
  maxSurge: optional(
    intOrPercent("How many machines may exist beyond the desired number; a percentage rounds up."),
  ),
  maxUnavailable: optional(
    intOrPercent("How many machines may be unavailable during an update; a percentage rounds down."),
  ),
};

/** Refuses limits with which a rollout could never progress. */
export const ROOM_TO_MOVE = {
  rule: "!(has(self.maxSurge) && has(self.maxUnavailable) && type(self.maxSurge) == int && type(self.maxUnavailable) == int && int(self.maxSurge) == 0 && int(self.maxUnavailable) == 0)",
  message: "maxUnavailable and maxSurge cannot both be 0",
};
