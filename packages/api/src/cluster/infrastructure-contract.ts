/** The fields that a Cluster and its infrastructure object share. */
import { boolean, integer, mapOf, object, optional, string } from "../schema/schema.ts";

/** The endpoint of the API server of a cluster. */
export const ControlPlaneEndpoint = object("The endpoint of the API server.", {
  host: optional(string("The host name or address.", { maxLength: 512 })),
  port: optional(integer("The port.")),
});

/** Where machines can be placed so that they do not fail together. */
export const FailureDomains = mapOf(
  "The failure domains that machines can be placed in.",
  object("A failure domain.", {
    controlPlane: optional(boolean("Whether control plane machines may be in it.")),
    attributes: optional(mapOf("Further attributes of it.", string("An attribute."))),
  }),
);
