/**
 * Accessors for the fields of Cluster API's contract, for referenced objects of any kind. Both versions of the contract are
 * read; if an object has the fields of both, those of v1beta2 count.
 */
import { type Condition, type Frozen, isJsonObject, type KubernetesObject, type Machine } from "@capstan/api";

/** An object of any provider. Nothing is assumed about it except that it is a Kubernetes object. */
export interface ContractObject extends KubernetesObject {
  spec?: unknown;
  status?: unknown;
}

type Read = Frozen<ContractObject>;

/** The address of a cluster's API server. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A failure domain of a cluster. */
export interface FailureDomain {
  name: string;
  controlPlane?: boolean;
  attributes?: Record<string, string>;
}

/** Why an object has failed permanently. */
export interface ContractFailure {
  readonly reason: string;
  readonly message: string;
}

/** Whether infrastructure, a control plane or bootstrap data is ready: `status.ready` or its successors. */
export function isReady(object: Read): boolean {
  const { provisioned, controlPlaneInitialized, dataSecretCreated } = initializationOf(object);
  const { ready } = statusOf(object);
  return [provisioned, controlPlaneInitialized, dataSecretCreated, ready].find(isFlag) === true;
}

/** Whether a control plane runs elsewhere, so that no Machines belong to it. */
export function isExternallyManaged(object: Read): boolean {
  return statusOf(object)["externalManagedControlPlane"] === true;
}

/** Whether a control plane has been initialized: `status.initialized`, or its successor. */
export function isInitialized(object: Read): boolean {
  const { controlPlaneInitialized } = initializationOf(object);
  return [controlPlaneInitialized, statusOf(object)["initialized"]].find(isFlag) === true;
}

/** The versions of a control plane: the desired one, and the oldest that a machine of it has. Undefined for kinds without versions. */
export function controlPlaneVersionsOf(
  object: Read,
): { readonly desired: string; readonly actual: string | undefined } | undefined {
  const { version: desired } = specOf(object);
  const { version, versions } = statusOf(object);
  const [oldest] = Array.isArray(versions) ? (versions as readonly unknown[]) : [];
  const actual = [recordOf(oldest)["version"], version].find(isText);
  return isText(desired) ? { desired, actual } : undefined;
}

/** Whether the object has none of the contract's status fields, which means that no controller acts on it. */
export function saysNothing(object: Read): boolean {
  const status = statusOf(object);
  const { conditions = [] } = status;
  const isSilent = ["ready", "initialized", "initialization"].every((field) => status[field] === undefined);
  return isSilent && Array.isArray(conditions) && conditions.length === 0;
}

/** The endpoint of an object; undefined while it has none. */
export function endpointOf(object: Read): Endpoint | undefined {
  return validEndpoint(specOf(object)["controlPlaneEndpoint"]);
}

/** A complete endpoint; undefined if a field is empty. */
export function validEndpoint(value: unknown): Endpoint | undefined {
  const { host, port } = recordOf(value);
  return typeof host === "string" && host !== "" && typeof port === "number" && port > 0
    ? { host, port }
    : undefined;
}

/** The failure domains by name: a list, or in the older version of the contract a map. */
export function failureDomainsOf(object: Read): FailureDomain[] | undefined {
  const value = statusOf(object)["failureDomains"];
  const entries = Array.isArray(value)
    ? value.map((item): [unknown, unknown] => [recordOf(item)["name"], item])
    : Object.entries(recordOf(value));
  const domains = entries.flatMap(([name, item]) =>
    isText(name) ? [{ name, ...domainFields(recordOf(item)) }] : [],
  );
  return domains.length === 0 ? undefined : domains.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Why the object has failed permanently; undefined when it has not. Contract v1beta2 has no such failures. */
export function failureOf(object: Read): ContractFailure | undefined {
  const status = statusOf(object);
  const { failureReason, failureMessage } = {
    ...status,
    ...recordOf(recordOf(status["deprecated"])["v1beta1"]),
  };
  if (!isText(failureReason) && !isText(failureMessage)) return undefined;
  const reason = isText(failureReason) ? failureReason : "Failed";
  return { reason, message: isText(failureMessage) ? failureMessage : reason };
}

/** How many machines a pool has. */
export function replicasOf(object: Read): number | undefined {
  return countIn(object, "replicas");
}

/** The number of machines that an autoscaler has set, if the pool has another number at the moment; only Capstan's pools report it. */
export function externalReplicasOf(object: Read): number | undefined {
  return countIn(object, "externalReplicas");
}

/** How many machines of a pool are up to date; not part of Cluster API's contract, so few kinds report it. */
export function upToDateReplicasOf(object: Read): number | undefined {
  return countIn(object, "upToDateReplicas");
}

function countIn(object: Read, field: string): number | undefined {
  const count = statusOf(object)[field];
  return typeof count === "number" ? count : undefined;
}

/** The ids of the machines of a pool. */
export function providerIDsOf(object: Read): string[] {
  const list = specOf(object)["providerIDList"];
  return Array.isArray(list) ? list.filter(isText) : [];
}

/** The id of a machine at its cloud provider; undefined while it has none. */
export function providerIDOf(object: Read): string | undefined {
  const { providerID } = specOf(object);
  return isText(providerID) ? providerID : undefined;
}

/** The failure domain that a machine runs in: `spec.failureDomain`, or in the next version of the contract in the status. */
export function failureDomainOf(object: Read): string | undefined {
  return [statusOf(object)["failureDomain"], specOf(object)["failureDomain"]].find(isText);
}

type Address = NonNullable<NonNullable<Machine["status"]>["addresses"]>[number];

// No machine has more network interfaces than a few; a provider with a bug must not fill the status.
const MOST_ADDRESSES = 64;
const ADDRESS_TYPES: readonly string[] = [
  "Hostname",
  "ExternalIP",
  "InternalIP",
  "ExternalDNS",
  "InternalDNS",
];

/** The addresses of a machine. */
export function addressesOf(object: Read): Address[] {
  const list = statusOf(object)["addresses"];
  return Array.isArray(list) ? list.slice(0, MOST_ADDRESSES).flatMap(addressIn) : [];
}

function addressIn(item: unknown): Address[] {
  const { type, address } = recordOf(item);
  if (!isText(address) || address.length > 256 || !ADDRESS_TYPES.includes(String(type))) return [];
  return [{ type: type as Address["type"], address }];
}

/** The Secret with the bootstrap data; undefined while there is none. */
export function dataSecretNameOf(object: Read): string | undefined {
  const name = statusOf(object)["dataSecretName"];
  return isText(name) ? name : undefined;
}

/** The object's own Ready condition, if it has one; in contract v1beta2 that of a control plane is Available. */
export function readyConditionOf(object: Read): Frozen<Condition> | undefined {
  const ready = conditionOf(object, "Ready");
  const isControlPlane = initializationOf(object)["controlPlaneInitialized"] !== undefined;
  return ready ?? (isControlPlane ? conditionOf(object, "Available") : undefined);
}

/** A condition of either form. Kinds of v1beta2 have two lists; that in the form of v1beta1 has a severity. */
function conditionOf(object: Read, type: string): Frozen<Condition> | undefined {
  const { conditions, deprecated } = statusOf(object);
  const { conditions: older } = recordOf(recordOf(deprecated)["v1beta1"]);
  const lists = [older, conditions].map((list) => (Array.isArray(list) ? (list as readonly unknown[]) : []));
  return lists
    .flat()
    .find(
      (one): one is Frozen<Condition> =>
        recordOf(one)["type"] === type &&
        ["True", "False", "Unknown"].includes(String(recordOf(one)["status"])),
    );
}

function domainFields({ controlPlane, attributes }: Fields): Omit<FailureDomain, "name"> {
  const texts = Object.entries(recordOf(attributes)).filter((entry): entry is [string, string] =>
    isText(entry[1]),
  );
  return {
    ...(typeof controlPlane === "boolean" && { controlPlane }),
    ...(texts.length > 0 && { attributes: Object.fromEntries(texts) }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function specOf(object: Read): Fields {
  return recordOf(object.spec);
}

function statusOf(object: Read): Fields {
  return recordOf(object.status);
}

function initializationOf(object: Read): Fields {
  return recordOf(statusOf(object)["initialization"]);
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function recordOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
