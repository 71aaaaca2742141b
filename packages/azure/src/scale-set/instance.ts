import { formatProviderId, isJsonObject, type JsonObject, parseProviderId } from "@capstan/api";
import { instanceErrorOf } from "../arm/errors.ts";
import type { AzureError } from "../port.ts";

/** The power state in the instance view. */
export type PowerState =
  | "starting"
  | "running"
  | "stopping"
  | "stopped"
  | "deallocating"
  | "deallocated"
  | "unknown";

/** An instance of a scale set, as a list with instance views shows it. */
export interface ScaleSetInstance {
  readonly instanceID: string;
  readonly resourceID: string;
  readonly name: string;
  /** The provider id of its Node. */
  readonly providerID: string;
  readonly computerName?: string;
  readonly vmID?: string;
  /** `Creating`, `Updating`, `Succeeded`, `Failed`, `Deleting`, or empty when Azure does not report it. */
  readonly provisioningState: string;
  /** When it was created, in milliseconds since the epoch. */
  readonly createdMs?: number;
  /** When the provisioning state was reached, in milliseconds since the epoch. */
  readonly provisionedAtMs?: number;
  readonly powerState: PowerState;
  /** Whether it has the model of the scale set; undefined when Azure does not report it. */
  readonly isLatestModel?: boolean;
  readonly zone?: string;
  /** The version of its image. */
  readonly imageVersion?: string;
  readonly imageReference?: JsonObject;
  /** Why it failed. */
  readonly error?: AzureError;
}

const POWER_STATES: readonly string[] = [
  "starting",
  "running",
  "stopping",
  "stopped",
  "deallocating",
  "deallocated",
] satisfies PowerState[];

type IDs = Pick<ScaleSetInstance, "resourceID" | "providerID">;

/**
 * Parses an item of a list of instances; undefined for one without an id, which cannot be acted on. The ids of a known
 * instance are reused, because objects keep lists of thousands of them.
 */
export function parseInstance(raw: JsonObject, known?: IDs): ScaleSetInstance | undefined {
  const resourceID = text(raw["id"]);
  const instanceID = text(raw["instanceId"]);
  if (resourceID === undefined || instanceID === undefined) return undefined;
  const properties = objectIn(raw, "properties");
  const statuses = listIn(objectIn(properties, "instanceView"), "statuses").filter(isJsonObject);
  const image = objectIn(objectIn(properties, "storageProfile"), "imageReference");
  return {
    instanceID,
    ...(known?.resourceID === resourceID ? idsOf(known) : newIDs(resourceID)),
    name: text(raw["name"]) ?? instanceID,
    provisioningState: text(properties["provisioningState"]) ?? "",
    powerState: powerStateOf(statuses),
    ...present({
      computerName: text(objectIn(properties, "osProfile")["computerName"]),
      vmID: text(properties["vmId"]),
      createdMs: timeOf(properties["timeCreated"]),
      provisionedAtMs: timeOf(codeWith(statuses, "ProvisioningState/")?.status["time"]),
      isLatestModel: flag(properties["latestModelApplied"]),
      zone: text(listIn(raw, "zones")[0]),
      imageVersion: text(image["exactVersion"]) ?? text(image["version"]),
      imageReference: Object.keys(image).length > 0 ? image : undefined,
      error: instanceErrorOf(statuses),
    }),
  };
}

function idsOf({ resourceID, providerID }: IDs): IDs {
  return { resourceID, providerID };
}

function newIDs(resourceID: string): IDs {
  return { resourceID, providerID: formatProviderId(parseProviderId(`azure://${resourceID}`)) };
}

/** The power state in the statuses of an instance view. */
export function powerStateOf(statuses: readonly JsonObject[]): PowerState {
  const state = codeWith(statuses, "PowerState/")?.code.toLowerCase() ?? "";
  return POWER_STATES.includes(state) ? (state as PowerState) : "unknown";
}

function timeOf(value: unknown): number | undefined {
  const time = Date.parse(text(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function codeWith(
  statuses: readonly JsonObject[],
  prefix: string,
): { readonly code: string; readonly status: JsonObject } | undefined {
  const status = statuses.find((candidate) => text(candidate["code"])?.startsWith(prefix));
  return status && { code: (text(status["code"]) ?? "").slice(prefix.length), status };
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Omits undefined fields. */
function present<T extends object>(fields: T): Present<T> {
  const kept: Record<string, unknown> = {};
  // This runs for each instance of each list.
  for (const field in fields) if (fields[field] !== undefined) kept[field] = fields[field];
  return kept as Present<T>;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function objectIn(value: JsonObject, field: string): JsonObject {
  const inner = value[field];
  return isJsonObject(inner) ? inner : {};
}

function listIn(value: JsonObject, field: string): readonly unknown[] {
  const inner = value[field];
  return Array.isArray(inner) ? (inner as readonly unknown[]) : [];
}
