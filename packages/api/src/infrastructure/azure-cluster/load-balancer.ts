import { type Static, integer, listOf, object, optional, setOf, string } from "../../schema/schema.ts";

/** A public address. */
export const PublicIP = object("A public address.", {
  name: string("Its name."),
  dnsName: optional(string("The DNS name of it.")),
  ipTags: optional(
    listOf(
      "Tags that determine the routing of the address.",
      object("A tag.", { type: string("The kind of tag."), tag: string("The value.") }),
    ),
  ),
});

/** A load balancer of the cluster. */
export const LoadBalancer = object("A load balancer.", {
  id: optional(string("Its ARM id. Set by the controller.")),
  name: optional(string("Its name.")),
  sku: optional(string("Its tier. Only Standard is supported.")),
  type: optional(
    string("Whether it is reachable from the Internet (Public) or from the network only (Internal)."),
  ),
  frontendIPs: optional(
    listOf(
      "The addresses it listens on.",
      object("An address.", {
        name: string("Its name on the load balancer.", { minLength: 1 }),
        publicIP: optional(PublicIP),
        privateIP: optional(string("The private address.")),
      }),
    ),
  ),
  frontendIPsCount: optional(integer("How many addresses an outbound load balancer has, up to 16.")),
  backendPool: optional(
    object("The machines behind it.", { name: optional(string("The name of the backend pool.")) }),
  ),
  idleTimeoutInMinutes: optional(integer("How many minutes an idle connection is kept, 4 to 30.")),
  availabilityZones: optional(
    setOf("The zones of the frontend addresses.", {
      maxItems: 3,
      rules: [{ rule: "self.all(zone, zone in ['1', '2', '3'])", message: "zones are 1, 2 and 3" }],
    }),
  ),
});

/** A load balancer of the cluster. */
export type LoadBalancer = Static<typeof LoadBalancer>;
