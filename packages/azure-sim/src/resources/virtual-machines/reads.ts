import { reply } from "../../arm/answer.ts";
import { entityNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { foundResource, visibleIn } from "../found.ts";
import type { Verb } from "../resource-type.ts";
import { machineBody, machineView, statusBody } from "./body.ts";
import { VIRTUAL_MACHINES } from "./desired.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

const PAGE = 200;

/** A machine and its ARM resource. */
export interface FoundMachine {
  readonly resource: Resource;
  readonly machine: VirtualMachine;
}

/** The machine of a request. */
export function foundMachine(call: Call, world: AzureState): FoundMachine {
  const resource = foundResource(call, world);
  const machine = world.virtualMachines.get(resource.id);
  if (!machine) throw entityNotFound();
  return { resource, machine };
}

/** GET of one machine, with `$expand=instanceView` its power state too. */
export const getMachine: Verb = (call, world) => {
  const { resource, machine } = foundMachine(call, world);
  const isExpanded = call.query.get("$expand")?.toLowerCase() === "instanceview";
  return reply(200, machineBody(resource, machine, isExpanded), { etag: resource.etag });
};

/** The instance view of one machine. */
export const getMachineView: Verb = (call, world) => {
  const { resource, machine } = foundMachine(call, world);
  return reply(200, machineView(machine, resource.body));
};

/** The machines of a group or a subscription; with `statusOnly=true` only what they are doing. */
export const listMachines: Verb = (call, world) => {
  const isStatusOnly = call.query.get("statusOnly")?.toLowerCase() === "true";
  const page = pageOf(
    visibleIn(world, call.target, `Microsoft.Compute/${VIRTUAL_MACHINES}`),
    call.query,
    PAGE,
  );
  const bodies = page.items.flatMap((resource) => {
    const machine = world.virtualMachines.get(resource.id);
    if (!machine) return [];
    return [isStatusOnly ? statusBody(resource, machine) : machineBody(resource, machine)];
  });
  return listAnswer(bodies, page.nextSkip, call);
};
