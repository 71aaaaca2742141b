import { isJsonObject, type JsonObject } from "@capstan/api";
import { isGone, parseInstance, type PowerState, type ScaleSetInstance } from "@capstan/azure";
import type { DonorPower } from "@capstan/plan";
import { renewalOf, type Scope } from "../scope.ts";

/** A pass that can reach Azure. */
export type AzureScope = Scope & { readonly azure: NonNullable<Scope["azure"]> };

/** A resource, or undefined when it does not exist. */
export async function read(
  { azure }: AzureScope,
  id: string,
  query: Readonly<Record<string, string>> = {},
): Promise<JsonObject | undefined> {
  try {
    const { body } = await azure.arm.get(id, { location: azure.location, query });
    return body;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The resources of a list; none when their parent does not exist. */
export async function readAll(
  { azure }: AzureScope,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly JsonObject[]> {
  try {
    const { items } = await azure.arm.list(path, { location: azure.location, query });
    return items.filter(isJsonObject);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The provisioning state of a resource; undefined when it does not exist. */
export function stateOf(body: JsonObject | undefined): string | undefined {
  return body && textIn(objectIn(body, "properties"), "provisioningState");
}

/** The object at a path; an empty one when there is none. */
export function objectIn(value: JsonObject | undefined, ...path: readonly string[]): JsonObject {
  let inner: unknown = value;
  for (const field of path) inner = isJsonObject(inner) ? inner[field] : undefined;
  return isJsonObject(inner) ? inner : {};
}

/** The text in a field; empty when there is none. */
export function textIn(value: JsonObject, field: string): string {
  const inner = value[field];
  return typeof inner === "string" ? inner : "";
}

/** Deletes a resource unless it is gone or being deleted; returns whether it is gone. */
export async function deleted(scope: AzureScope, id: string): Promise<boolean> {
  const state = stateOf(await read(scope, id));
  if (state === undefined) return true;
  if (state !== "Deleting") await scope.azure.arm.delete(id, { location: scope.azure.location });
  return false;
}

/** The ARM id of a machine. */
export function instanceIDOf({ azure }: AzureScope, instanceID: string): string {
  return `${azure.machinesID}/${instanceID}`;
}

/** The ARM id of the donor's instance. */
export function donorID(scope: AzureScope): string {
  return instanceIDOf(scope, renewalOf(scope).donor.instanceID);
}

/** An instance with its OS disk. */
export interface InstanceWithDisk {
  readonly instance: ScaleSetInstance;
  readonly osDiskID: string;
  /** All that Azure says about it. */
  readonly body: JsonObject;
}

/** An instance as Azure has it now; undefined when it is gone. */
export async function readInstance(scope: AzureScope, id: string): Promise<InstanceWithDisk | undefined> {
  const body = await read(scope, id, { $expand: "instanceView" });
  // A virtual machine outside scale sets has no instance id.
  const instance = body && parseInstance({ instanceId: body["name"], ...body });
  if (!instance) return undefined;
  const disk = objectIn(body, "properties", "storageProfile", "osDisk", "managedDisk");
  return { instance, osDiskID: textIn(disk, "id"), body };
}

/** What the states of a machine mean for a step. */
export const POWER: Readonly<Record<PowerState, DonorPower>> = {
  starting: "starting",
  running: "running",
  stopping: "stopping",
  stopped: "stopped",
  deallocating: "stopping",
  deallocated: "stopped",
  unknown: "unknown",
};

/** Whether the donor's machine runs. Another machine with its instance id is not the donor. */
export async function readPower(scope: AzureScope): Promise<DonorPower> {
  const found = await readInstance(scope, donorID(scope));
  if (!found || found.instance.provisioningState === "Deleting") return "gone";
  const { vmID } = renewalOf(scope).donor;
  const isDonor = vmID === "" || found.instance.vmID === vmID;
  return isDonor ? powerOf(found.instance) : "gone";
}

function powerOf({ powerState, provisioningState }: ScaleSetInstance): DonorPower {
  const power = POWER[powerState];
  const isChanging = power === "starting" || power === "stopping";
  return isChanging && provisioningState === "Failed" ? "stuck" : power;
}
