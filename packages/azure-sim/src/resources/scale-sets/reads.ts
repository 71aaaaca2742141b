import { reply } from "../../arm/answer.ts";
import { ArmError } from "../../arm/errors.ts";
import { listAnswer, pageOf, textListAnswer } from "../../arm/paging.ts";
import type { Call } from "../../core/call.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { visibleIn } from "../found.ts";
import type { Verb } from "../resource-type.ts";
import { foundInstance, foundSet } from "./actions.ts";
import { instanceBody, instanceTexts, instanceView } from "./instance-body.ts";
import type { Instance } from "./scale-sets.ts";
import { setBody } from "./set-body.ts";
import { provisioningCode } from "../../machines/status-codes.ts";
import { COMPUTE, SCALE_SETS } from "./write.ts";

// A set of 1,000 instances has ten pages: that makes a sweep expensive.
const INSTANCES_PER_PAGE = 100;
const SETS_PER_PAGE = 100;

/** GET of one set. */
export const getScaleSet: Verb = (call, world) => {
  const { resource, set } = foundSet(call, world);
  return reply(200, setBody(resource, set), { etag: resource.etag });
};

/** The sets of a group or a subscription, in one region if the path names it. */
export const listScaleSets: Verb = (call, world) => {
  const isIn = call.target.types[0] === "locations" ? call.target.names[0]?.toLowerCase() : undefined;
  const sets = visibleIn(world, call.target, `${COMPUTE}/${SCALE_SETS}`).filter(
    ({ location }) => isIn === undefined || location === isIn,
  );
  const page = pageOf(sets, call.query, SETS_PER_PAGE);
  const bodies = page.items.flatMap((resource) => {
    const set = world.scaleSets.get(resource.id);
    return set ? [setBody(resource, set)] : [];
  });
  return listAnswer(bodies, page.nextSkip, call);
};

/** How many instances are in each state. */
export const getSetView: Verb = (call, world) => {
  const { resource, set } = foundSet(call, world);
  const counts = new Map<string, number>();
  for (const instance of world.scaleSets.members(set.id).values()) {
    const code = provisioningCode(instance);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const state = resource.state.toLowerCase();
  return reply(200, {
    virtualMachine: { statusesSummary: [...counts].map(([code, count]) => ({ code, count })) },
    statuses: [
      {
        code: `ProvisioningState/${state}`,
        level: state === "failed" ? "Error" : "Info",
        displayStatus: `Provisioning ${state}`,
        time: new Date(world.nowMs).toISOString(),
      },
    ],
  });
};

/** One page of the instances of a set; each instance costs a view token. */
export const listInstances: Verb = (call, world) => {
  const { resource, set } = foundSet(call, world);
  const members = filtered(world.scaleSets.members(set.id).values(), call);
  const page = pageOf(members, call.query, INSTANCES_PER_PAGE);
  world.throttle.chargeInstances(call, set.location, { views: page.items.length });
  const context = { world, resource, set, isExpanded: isExpanded(call) };
  return textListAnswer(instanceTexts(context, page.items), page.nextSkip, call);
};

/** One instance; it costs a view token too. */
export const getInstance: Verb = (call, world) => {
  const { resource, set, instance } = viewed(call, world);
  const context = { world, resource, set, isExpanded: isExpanded(call) };
  return reply(200, instanceBody(context, instance), { etag: `"${instance.flight}"` });
};

/** The instance view of one instance. */
export const getInstanceView: Verb = (call, world) => {
  const { resource, set, instance } = viewed(call, world);
  return reply(200, instanceView({ world, resource, set, isExpanded: true }, instance));
};

function viewed(call: Call, world: AzureState): ReturnType<typeof foundInstance> {
  const found = foundInstance(call, world);
  world.throttle.chargeInstances(call, found.set.location, { views: 1 });
  return found;
}

function isExpanded({ query }: Call): boolean {
  return query.get("$expand")?.toLowerCase().includes("instanceview") ?? false;
}

/** Compute's filters for instances: by status code, or by model. */
function filtered(instances: Iterable<Instance>, { query }: Call): Iterable<Instance> {
  const filter = query.get("$filter");
  if (filter === null || filter === "") return instances;
  const wanted = /^startswith\(instanceView\/statuses\/code,\s*'(.+)'\)\s*eq\s*true$/i.exec(filter)?.[1];
  if (wanted === undefined) {
    throw new ArmError(400, {
      code: "InvalidParameter",
      message: `The filter '${filter}' is not supported; use startswith(instanceView/statuses/code, 'PREFIX') eq true.`,
      target: "$filter",
    });
  }
  const prefix = wanted.toLowerCase();
  return [...instances].filter(
    (one) =>
      provisioningCode(one).toLowerCase().startsWith(prefix) || `powerstate/${one.power}`.startsWith(prefix),
  );
}
