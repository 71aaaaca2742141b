import { reply } from "../../arm/answer.ts";
import { ArmError, resourceNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { valueAt } from "../../json.ts";
import { foundResource, visibleIn } from "../found.ts";
import type { Verb } from "../resource-type.ts";
import { clusterBody, poolBody } from "./bodies.ts";
import { CLUSTER_TYPE, poolNamed, poolsOf, propertiesOf } from "./cluster-state.ts";

const PAGE = 100;

/** GET of a cluster. */
export const getCluster: Verb = (call, world) => {
  const cluster = foundResource(call, world);
  return reply(200, clusterBody(world, cluster), { etag: cluster.etag });
};

/** The clusters of a group or subscription. */
export const listClusters: Verb = (call, world) => {
  const page = pageOf(visibleIn(world, call.target, CLUSTER_TYPE), call.query, PAGE);
  return listAnswer(
    page.items.map((cluster) => clusterBody(world, cluster)),
    page.nextSkip,
    call,
  );
};

/** GET of a pool. */
export const getAgentPool: Verb = (call, world) => {
  const cluster = foundResource(call, world);
  const name = call.target.names[1] ?? "";
  const pool = poolNamed(cluster, name);
  if (!pool)
    throw resourceNotFound(`${CLUSTER_TYPE}/${cluster.name}/agentPools/${name}`, call.target.group ?? "");
  return reply(200, poolBody(world, cluster, pool));
};

/** The pools of a cluster. */
export const listAgentPools: Verb = (call, world) => {
  const cluster = foundResource(call, world);
  const page = pageOf(poolsOf(cluster), call.query, PAGE);
  return listAnswer(
    page.items.map((pool) => poolBody(world, cluster, pool)),
    page.nextSkip,
    call,
  );
};

/** POST of a credential: a kubeconfig, for administrators or for users of Entra. */
export function listCredential(user: "admin" | "user"): Verb {
  return (call, world) => {
    const cluster = foundResource(call, world);
    const properties = propertiesOf(cluster);
    if (user === "admin" && properties["disableLocalAccounts"] === true) {
      throw new ArmError(400, {
        code: "BadRequest",
        message:
          "Getting static credential is not allowed because this cluster is set to disable local accounts.",
      });
    }
    const address = valueAt(properties, "fqdn") ?? valueAt(properties, "privateFQDN");
    const text = world.kubeconfigOf(cluster.id) ?? unservedKubeconfig(cluster.name, String(address));
    const name = user === "admin" ? "clusterAdmin" : "clusterUser";
    return reply(200, { kubeconfigs: [{ name, value: Buffer.from(text).toString("base64") }] });
  };
}

/** The kubeconfig of a cluster that no API server serves: for clients that only need its form. JSON is YAML too. */
function unservedKubeconfig(name: string, address: string): string {
  const user = `clusterUser_${name}`;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: `https://${address}:443` } }],
    users: [{ name: user, user: { token: "simulated" } }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  });
}
