import { empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, resourceNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import type { Call } from "../../core/call.ts";
import { type JsonObject, objectAt } from "../../json.ts";
import { foundResource } from "../found.ts";
import type { ResourceType } from "../resource-type.ts";
import { CLUSTER_TYPE, CONTAINER_SERVICE, MAINTENANCE, MANAGED_CLUSTERS } from "./cluster-state.ts";

const TYPE = "maintenanceConfigurations";
// AKS accepts these names and no others.
const NAMES = ["default", "aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"];
const PAGE = 100;

function nameIn({ target }: Call): string {
  const given = target.names[1] ?? "";
  const name = NAMES.find((one) => one.toLowerCase() === given.toLowerCase());
  if (name !== undefined) return name;
  throw new ArmError(400, {
    code: "InvalidParameter",
    message: `The value of parameter configName is invalid. Error details: '${given}' is not one of ${NAMES.join(", ")}.`,
    target: "configName",
  });
}

function shown(clusterId: string, name: string, properties: unknown): JsonObject {
  return { id: `${clusterId}/${TYPE}/${name}`, name, type: `${CLUSTER_TYPE}/${TYPE}`, properties };
}

/** When AKS may maintain a cluster. */
export const maintenanceConfigurations: ResourceType = {
  provider: CONTAINER_SERVICE,
  type: `${MANAGED_CLUSTERS}/${TYPE}`,
  get: (call, world) => {
    const { id, body } = foundResource(call, world);
    const name = nameIn(call);
    const properties = objectAt(body, MAINTENANCE)[name];
    if (properties === undefined)
      throw resourceNotFound(`${CLUSTER_TYPE}/${TYPE}/${name}`, call.target.group ?? "");
    return reply(200, shown(id, name, properties));
  },
  put: (call, world) => {
    const cluster = foundResource(call, world);
    const name = nameIn(call);
    const all = objectAt(cluster.body, MAINTENANCE);
    const properties = objectAt(requireBody(call.body), "properties");
    world.resources.put({
      ...cluster,
      body: { ...cluster.body, [MAINTENANCE]: { ...all, [name]: properties } },
    });
    return reply(all[name] === undefined ? 201 : 200, shown(cluster.id, name, properties));
  },
  delete: (call, world) => {
    const cluster = foundResource(call, world);
    const name = nameIn(call);
    const { [name]: removed, ...rest } = objectAt(cluster.body, MAINTENANCE);
    if (removed === undefined) return empty(204);
    world.resources.put({ ...cluster, body: { ...cluster.body, [MAINTENANCE]: rest } });
    return empty(200);
  },
  list: (call, world) => {
    const { id, body } = foundResource(call, world);
    const all = Object.entries(objectAt(body, MAINTENANCE)).map(([name, properties]) =>
      shown(id, name, properties),
    );
    const page = pageOf(all, call.query, PAGE);
    return listAnswer(page.items, page.nextSkip, call);
  },
};
