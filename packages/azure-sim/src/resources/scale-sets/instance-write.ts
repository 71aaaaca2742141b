import { requireBody } from "../../arm/body.ts";
import { beingDeleted, concurrentRequest } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { objectAt } from "../../json.ts";
import { acceptedWrite, newOperation } from "../../operations/start.ts";
import type { Verb } from "../resource-type.ts";
import { foundInstance } from "./actions.ts";
import { instanceBody } from "./instance-body.ts";
import { lastEndMs, startWork } from "./work.ts";
import { COMPUTE } from "./write.ts";

/** PUT of an instance: its own tags and scale-in protection. All other fields come from the model. */
export const putInstance: Verb = (call, world) => {
  const { resource, set, instance } = foundInstance(call, world);
  const body = requireBody(call.body);
  checkPreconditions(call.headers, `"${instance.flight}"`);
  if (resource.state === "Deleting" || instance.state === "Deleting") throw beingDeleted(resource.id);
  if (instance.operation !== undefined) throw concurrentRequest();
  world.throttle.chargeInstances(call, set.location, { batched: 1 });
  const { protectionPolicy } = objectAt(body, "properties");
  instance.own = {
    ...(body["tags"] !== undefined && { tags: body["tags"] }),
    properties: { ...(protectionPolicy !== undefined && { protectionPolicy }) },
  };
  const operation = newOperation(call, world, {
    resourceId: set.id,
    location: set.location,
    provider: COMPUTE,
  });
  const plan = startWork(world, { set, instances: [instance], kind: "put", operation: operation.id });
  world.operations.start(operation, lastEndMs(world, plan));
  const shown = instanceBody({ world, resource, set, isExpanded: false }, instance);
  return acceptedWrite({ call, world, operation }, 200, shown);
};
