import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { statusesOf } from "../../machines/status-codes.ts";
import { withoutSecrets } from "../scale-sets/models.ts";
import { generationOf } from "./generation.ts";
import { disksOf } from "./attachments.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

/** A virtual machine as Compute shows it. */
export function machineBody(resource: Resource, machine: VirtualMachine, isExpanded = false): JsonObject {
  const { body } = resource;
  return {
    name: resource.name,
    id: resource.id,
    type: resource.type,
    ...body,
    location: resource.location,
    etag: resource.etag,
    ...identity(body, machine),
    properties: {
      ...withoutSecrets(objectAt(body, "properties")),
      storageProfile: storageProfile(machine, body),
      hardwareProfile: { vmSize: machine.size },
      vmId: machine.vmId,
      provisioningState: machine.state,
      timeCreated: new Date(machine.createdMs).toISOString(),
      ...(isExpanded && { instanceView: machineView(machine, body) }),
    },
  };
}

/** The power and provisioning state of a machine. */
export function machineView(machine: VirtualMachine, body: JsonObject): JsonObject {
  const computerName = textAt(body, "properties", "osProfile", "computerName");
  const isRunning = machine.power === "running";
  return {
    ...(isRunning && computerName !== undefined && { computerName }),
    hyperVGeneration: generationOf(body),
    statuses: statusesOf(machine),
  };
}

/** An item of a list with `statusOnly=true`: ids and states, without the model. */
export function statusBody(resource: Resource, machine: VirtualMachine): JsonObject {
  const { name, id, type, location, body } = resource;
  const { vmId, state } = machine;
  const instanceView = machineView(machine, body);
  return { name, id, type, location, properties: { vmId, provisioningState: state, instanceView } };
}

function identity(body: JsonObject, { principalId }: VirtualMachine): JsonObject {
  const given = objectAt(body, "identity");
  if (!textAt(given, "type")?.includes("SystemAssigned")) return {};
  return { identity: { ...given, principalId } };
}

/** Compute adds the ids of the disks to what the caller wrote. */
function storageProfile(machine: VirtualMachine, body: JsonObject): JsonObject {
  const storage = objectAt(body, "properties", "storageProfile");
  const [osDisk, ...dataDisks] = disksOf(machine.id, body).map(({ id, part }) => ({
    ...part,
    name: id.split("/").at(-1),
    managedDisk: { ...objectAt(part, "managedDisk"), id },
  }));
  return { ...storage, osDisk, ...(objectsAt(storage, "dataDisks").length > 0 && { dataDisks }) };
}
