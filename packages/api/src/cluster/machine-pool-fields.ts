/** The fields of a machine pool that are the same in all versions. */
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { described, listOf, oneOf, optional, string } from "../schema/schema.ts";

const PHASES = [
  "Pending",
  "Provisioning",
  "Provisioned",
  "Running",
  "ScalingUp",
  "ScalingDown",
  "Scaling",
  "Deleting",
  "Failed",
  "Unknown",
] as const;

/** The lists in the spec. */
export const poolLists = {
  providerIDList: optional(
    listOf(
      "The provider ids of the machines of the pool. Set by the controller.",
      string("The id of a machine.", { minLength: 1, maxLength: 512 }),
      { maxItems: 10000 },
    ),
  ),
  failureDomains: optional(
    listOf(
      "The failure domains to spread the machines over.",
      string("A failure domain.", { minLength: 1, maxLength: 256 }),
      {
        maxItems: 100,
      },
    ),
  ),
};

/** The nodes and the phase in the status. */
export const poolObservations = {
  nodeRefs: optional(
    listOf("The nodes of the pool.", described("A node of the pool.", ObjectReference), { maxItems: 10000 }),
  ),
  phase: optional(oneOf("The phase of the pool.", PHASES)),
};
