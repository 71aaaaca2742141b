/** What a Cluster and the object that has its infrastructure tell each other, field by field the same. */
import { boolean, integer, mapOf, object, optional, string } from "../schema/schema.ts";

/** Where the API server of a cluster is reached. */
export const ControlPlaneEndpoint = object("Where the API server is reached.", {
  host: optional(string("The host name or address.", { maxLength: 512 })),
  port: optional(integer("The port.")),
});

/** Where machines can be placed so that they do not fail together. */
export const FailureDomains = mapOf(
  "The failure domains that machines can be placed in.",
  object("A failure domain.", {
    controlPlane: optional(boolean("Whether control plane machines may be in it.")),
    attributes: optional(mapOf("What else is known about it.", string("An attribute."))),
  }),
);
