import { integer, object, optional, string } from "../schema/schema.ts";

/** Where the API server of a workload cluster is reached. */
export const ControlPlaneEndpoint = object("Where the API server is reached.", {
  host: optional(string("The host name or address.", { maxLength: 512 })),
  port: optional(integer("The port.")),
});
