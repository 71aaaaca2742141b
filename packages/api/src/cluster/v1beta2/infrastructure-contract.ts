/** The fields that a Cluster and its infrastructure object share, in v1beta2. */
import { boolean, integer, listMap, mapOf, object, optional, string } from "../../schema/schema.ts";

/** The numbers of ports. */
export const PORT = { minimum: 1, maximum: 65_535 };

/** The endpoint of the API server of a cluster; without one, the whole field is left out. */
export const ControlPlaneEndpoint = object(
  "The endpoint of the API server.",
  {
    host: optional(string("The host name or address.", { minLength: 1, maxLength: 512 })),
    port: optional(integer("The port.", PORT)),
  },
  { minProperties: 1 },
);

/** Where machines can be placed so that they do not fail together. */
export const FailureDomains = listMap(
  "The failure domains that machines can be placed in.",
  object("A failure domain.", {
    name: string("Its name.", { minLength: 1, maxLength: 256 }),
    controlPlane: optional(boolean("Whether control plane machines may be in it.")),
    attributes: optional(mapOf("Further attributes of it.", string("An attribute."))),
  }),
  { keys: ["name"], minItems: 1, maxItems: 100 },
);
