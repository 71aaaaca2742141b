import { type Answer, empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, resourceNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import type { AzureState, Effect } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../../json.ts";
import { COMPUTE, computeBody, startWrite } from "../compute/compute-write.ts";
import type { ResourceType } from "../resource-type.ts";
import { foundInstance } from "../scale-sets/actions.ts";
import { MACHINE_REMOVED } from "../scale-sets/instance-effects.ts";
import { instanceId } from "../scale-sets/instance-body.ts";

const TYPE = "virtualMachineScaleSets/virtualMachines/runCommands";
const PAGE = 50;

/** A script that a machine runs as root. */
export interface GuestCommand {
  /** The ARM id of the machine in lower case. */
  readonly machineId: string;
  readonly script: string;
}

/** What came of a script. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
  readonly error: string;
}

/** Runs a script inside a machine. */
export type RunInGuest = (command: GuestCommand) => CommandResult;

function idOf(call: Call, world: AzureState): string {
  const { set, instance } = foundInstance(call, world);
  return `${instanceId(set, instance)}/runCommands/${call.target.names[2]}`;
}

function found(call: Call, world: AzureState): Resource {
  const resource = world.resources.get(idOf(call, world));
  if (resource) return resource;
  throw resourceNotFound(`${COMPUTE}/${TYPE}/${call.target.names[2]}`, call.target.group ?? "");
}

/** A command as Compute shows it. Its result is part of the instance view, which must be asked for. */
function shown(resource: Resource, hasView: boolean): JsonObject {
  const { instanceView, ...properties } = objectAt(resource.body, "properties");
  const plain: Resource = { ...resource, body: { ...resource.body, properties } };
  const running = { executionState: "Running", exitCode: 0, output: "", error: "" };
  const view = isObject(instanceView) && resource.operation === undefined ? instanceView : running;
  return computeBody(plain, hasView ? { instanceView: view } : {});
}

function isExpanded({ query }: Call): boolean {
  return query.get("$expand")?.toLowerCase() === "instanceview";
}

function put(call: Call, world: AzureState): Answer {
  const id = idOf(call, world);
  const { set, instance } = foundInstance(call, world);
  if (instance.power !== "running") {
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: "Cannot modify extensions in the VM when the VM is not running.",
    });
  }
  const existing = world.resources.get(id);
  const body = requireBody(call.body);
  if (textAt(body, "properties", "source", "script") === undefined) {
    throw new ArmError(400, {
      code: "InvalidParameter",
      message: "Required parameter 'source.script' is missing (null); other sources are not simulated.",
      target: "source.script",
    });
  }
  const properties = { ...objectAt(body, "properties"), machineId: instance.machineId };
  const write = { call, world, id, existing, type: TYPE, location: set.location };
  return startWrite({ ...write, body: { ...body, properties }, latency: "runCommand" }, (resource) =>
    shown(resource, false),
  ).answer;
}

/** The machine runs the script when the write settles; one that is off by then does not. */
const settled: Effect = (world, args) => {
  const resource = world.resources.get(textAt(args, "id") ?? "");
  if (!resource) return;
  const { script = "", machineId = "" } = {
    script: textAt(resource.body, "properties", "source", "script"),
    machineId: textAt(resource.body, "properties", "machineId"),
  };
  const isOn = world.machines.record(machineId)?.power === "running";
  const result = isOn ? world.runInGuest({ machineId, script }) : TIMED_OUT;
  const executionState = !isOn ? "TimedOut" : result.exitCode === 0 ? "Succeeded" : "Failed";
  const at = new Date(world.nowMs).toISOString();
  const instanceView = { executionState, ...result, startTime: at, endTime: at };
  const properties = { ...objectAt(resource.body, "properties"), instanceView };
  world.resources.put({ ...resource, body: { ...resource.body, properties } });
};

/** Removes the commands of a machine that is gone. */
const orphaned: Effect = (world, args) => {
  const machineId = textAt(args, "machineId") ?? "";
  const group = machineId.split("/").slice(0, 5).join("/");
  for (const { id } of world.resources.in(group, `${COMPUTE}/${TYPE}`))
    if (id.toLowerCase().startsWith(`${machineId}/`)) world.resources.delete(id);
};

const TIMED_OUT: CommandResult = { exitCode: -1, output: "", error: "The machine did not answer." };

/** Managed run commands of instances. */
export const runCommands: ResourceType = {
  provider: COMPUTE,
  type: TYPE,
  effects: { [`${COMPUTE}/${TYPE}.settled`]: settled, [MACHINE_REMOVED]: orphaned },
  get: (call, world) => reply(200, shown(found(call, world), isExpanded(call))),
  list: (call, world) => {
    const prefix = `${idOf(call, world).replace(/\/[^/]*$/, "")}/`.toLowerCase();
    const { set } = foundInstance(call, world);
    const group = set.id.split("/").slice(0, 5).join("/");
    const all = [...world.resources.in(group, `${COMPUTE}/${TYPE}`)].filter(({ id }) =>
      id.toLowerCase().startsWith(prefix),
    );
    const page = pageOf(all, call.query, PAGE);
    return listAnswer(
      page.items.map((one) => shown(one, isExpanded(call))),
      page.nextSkip,
      call,
    );
  },
  put,
  delete: (call, world) => {
    const resource = world.resources.get(idOf(call, world));
    if (!resource) return empty(204);
    world.resources.delete(resource.id);
    return empty(200);
  },
};
