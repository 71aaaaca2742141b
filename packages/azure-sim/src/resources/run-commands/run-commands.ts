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
import type { MachineRecord } from "../../machines/machine.ts";
import { foundResource } from "../found.ts";
import { foundInstance } from "../scale-sets/actions.ts";
import { MACHINE_REMOVED } from "../scale-sets/instance-effects.ts";
import { instanceId } from "../scale-sets/instance-body.ts";

const PAGE = 50;

/** A type of virtual machines that run commands. */
interface Host {
  /** The type of its commands. */
  readonly type: string;
  /** The machine of a request; ARM's 404 when it does not exist. */
  readonly find: (call: Call, world: AzureState) => HostMachine;
}

interface HostMachine {
  /** The ARM id as Compute spells it. */
  readonly id: string;
  readonly location: string;
  readonly record: MachineRecord;
}

const INSTANCES: Host = {
  type: "virtualMachineScaleSets/virtualMachines/runCommands",
  find: (call, world) => {
    const { set, instance } = foundInstance(call, world);
    return { id: instanceId(set, instance), location: set.location, record: instance };
  },
};

const MACHINES: Host = {
  type: "virtualMachines/runCommands",
  find: (call, world) => {
    const { id, location } = foundResource(call, world);
    const record = world.virtualMachines.get(id);
    if (!record) throw resourceNotFound(`${COMPUTE}/virtualMachines/${call.target.names[0]}`, "");
    return { id, location, record };
  },
};

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

function idOf(host: Host, call: Call, world: AzureState): string {
  return `${host.find(call, world).id}/runCommands/${nameIn(host, call)}`;
}

function nameIn({ type }: Host, { target }: Call): string | undefined {
  return target.names[type.split("/").length - 1];
}

function found(host: Host, call: Call, world: AzureState): Resource {
  const resource = world.resources.get(idOf(host, call, world));
  if (resource) return resource;
  throw resourceNotFound(`${COMPUTE}/${host.type}/${nameIn(host, call)}`, call.target.group ?? "");
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

function put(host: Host, call: Call, world: AzureState): Answer {
  const id = idOf(host, call, world);
  const { location, record } = host.find(call, world);
  if (record.power !== "running") {
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
  const properties = { ...objectAt(body, "properties"), machineId: record.machineId };
  const write = { call, world, id, existing, type: host.type, location };
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
  for (const { type } of [INSTANCES, MACHINES])
    for (const { id } of world.resources.in(group, `${COMPUTE}/${type}`))
      if (id.toLowerCase().startsWith(`${machineId}/`)) world.resources.delete(id);
};

const TIMED_OUT: CommandResult = { exitCode: -1, output: "", error: "The machine did not answer." };

function runCommandsOf(host: Host, effects: Readonly<Record<string, Effect>> = {}): ResourceType {
  return {
    provider: COMPUTE,
    type: host.type,
    effects: { [`${COMPUTE}/${host.type}.settled`]: settled, ...effects },
    get: (call, world) => reply(200, shown(found(host, call, world), isExpanded(call))),
    list: (call, world) => {
      const { id } = host.find(call, world);
      const group = id.split("/").slice(0, 5).join("/");
      const all = [...world.resources.in(group, `${COMPUTE}/${host.type}`)].filter((one) =>
        one.id.toLowerCase().startsWith(`${id}/`.toLowerCase()),
      );
      const page = pageOf(all, call.query, PAGE);
      return listAnswer(
        page.items.map((one) => shown(one, isExpanded(call))),
        page.nextSkip,
        call,
      );
    },
    put: (call, world) => put(host, call, world),
    delete: (call, world) => {
      const resource = world.resources.get(idOf(host, call, world));
      if (!resource) return empty(204);
      world.resources.delete(resource.id);
      return empty(200);
    },
  };
}

/** Managed run commands of instances of scale sets. */
export const instanceRunCommands = runCommandsOf(INSTANCES, { [MACHINE_REMOVED]: orphaned });

/** Managed run commands of virtual machines. */
export const machineRunCommands = runCommandsOf(MACHINES);
