import { isJsonObject, type JsonObject } from "@capstan/api";
import { instanceErrorOf } from "../arm/errors.ts";
import type { AzureError } from "../port.ts";
import { type PowerState, powerStateOf } from "../scale-set/instance.ts";

/** A virtual machine, as a read with its instance view shows it. */
export interface VirtualMachine {
  readonly id: string;
  readonly name: string;
  /** Changes with each write of another client. */
  readonly etag?: string;
  readonly location: string;
  readonly size: string;
  readonly tags: Readonly<Record<string, string>>;
  /** `Creating`, `Updating`, `Succeeded`, `Failed`, `Deleting`, or empty when Azure does not report it. */
  readonly provisioningState: string;
  readonly powerState: PowerState;
  /** Why the last operation failed. */
  readonly error?: AzureError;
  readonly zones: readonly string[];
  readonly isSpot: boolean;
  readonly usesUltraDisks: boolean;
  readonly hasEphemeralDisk: boolean;
  /** How it attaches its disks. */
  readonly diskController: "SCSI" | "NVMe";
  /** The hypervisor generation of its image, such as V2; undefined while Azure does not report it. */
  readonly generation?: string;
  /** The ARM id of its availability set. */
  readonly availabilitySet?: string;
}

/** Parses a virtual machine. */
export function parseVirtualMachine(body: JsonObject, etag?: string): VirtualMachine {
  const properties = objectIn(body, "properties");
  const view = objectIn(properties, "instanceView");
  const storage = objectIn(properties, "storageProfile");
  const statuses = listIn(view, "statuses").filter(isJsonObject);
  const error = instanceErrorOf(statuses);
  const generation = textIn(view, "hyperVGeneration");
  const availabilitySet = textIn(objectIn(properties, "availabilitySet"), "id");
  return {
    id: textIn(body, "id"),
    name: textIn(body, "name"),
    ...(etag !== undefined && { etag }),
    location: textIn(body, "location"),
    size: textIn(objectIn(properties, "hardwareProfile"), "vmSize"),
    tags: textsIn(objectIn(body, "tags")),
    provisioningState: textIn(properties, "provisioningState"),
    powerState: powerStateOf(statuses),
    ...(error && { error }),
    zones: listIn(body, "zones").map(String),
    isSpot: textIn(properties, "priority") === "Spot",
    usesUltraDisks: objectIn(properties, "additionalCapabilities")["ultraSSDEnabled"] === true,
    hasEphemeralDisk: textIn(objectIn(objectIn(storage, "osDisk"), "diffDiskSettings"), "option") === "Local",
    diskController: textIn(storage, "diskControllerType") === "NVMe" ? "NVMe" : "SCSI",
    ...(generation !== "" && { generation }),
    ...(availabilitySet !== "" && { availabilitySet }),
  };
}

function textIn(parent: JsonObject, field: string): string {
  const value = parent[field];
  return typeof value === "string" ? value : "";
}

function objectIn(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  return isJsonObject(value) ? value : {};
}

function listIn(parent: JsonObject, field: string): readonly unknown[] {
  const value = parent[field];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textsIn(fields: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
