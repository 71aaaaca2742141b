/** What Cluster API's contract says about objects that Clusters and pools refer to, whatever kind they are. */
import { type Condition, type Frozen, isJsonObject, type KubernetesObject } from "@capstan/api";

/** An object of any provider. Nothing about it is taken for granted but that it is an object of Kubernetes. */
export interface ContractObject extends KubernetesObject {
  spec?: unknown;
  status?: unknown;
}

type Read = Frozen<ContractObject>;

/** Where the API server of a cluster is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The failure domains of a cluster, by name. */
export type FailureDomains = Record<string, { controlPlane?: boolean; attributes?: Record<string, string> }>;

/** Why an object has failed for good. */
export interface ContractFailure {
  readonly reason: string;
  readonly message: string;
}

/** Whether infrastructure is there, a control plane answers or bootstrap data is made: `status.ready`, or its successors. */
export function isReady(object: Read): boolean {
  const { provisioned, controlPlaneInitialized, dataSecretCreated } = recordOf(
    statusOf(object)["initialization"],
  );
  return [statusOf(object)["ready"], provisioned, controlPlaneInitialized, dataSecretCreated].includes(true);
}

/** Whether a control plane has been initialized: `status.initialized`, or its successor. */
export function isInitialized(object: Read): boolean {
  const { controlPlaneInitialized } = recordOf(statusOf(object)["initialization"]);
  return statusOf(object)["initialized"] === true || controlPlaneInitialized === true;
}

/** Whether nobody has said anything about the object that the contract knows: no controller acts on it. */
export function saysNothing(object: Read): boolean {
  const status = statusOf(object);
  return ["ready", "initialized", "initialization"].every((field) => status[field] === undefined);
}

/** The endpoint that an object offers; undefined while it has none. */
export function endpointOf(object: Read): Endpoint | undefined {
  return validEndpoint(specOf(object)["controlPlaneEndpoint"]);
}

/** An endpoint that leads somewhere; undefined for one that is not filled in. */
export function validEndpoint(value: unknown): Endpoint | undefined {
  const { host, port } = recordOf(value);
  return typeof host === "string" && host !== "" && typeof port === "number" && port > 0
    ? { host, port }
    : undefined;
}

/** The failure domains: a map, or in the next version of the contract a list with names. */
export function failureDomainsOf(object: Read): FailureDomains | undefined {
  const value = statusOf(object)["failureDomains"];
  const entries = Array.isArray(value)
    ? value.map((item): [unknown, unknown] => [recordOf(item)["name"], item])
    : Object.entries(recordOf(value));
  const domains = entries.flatMap(([name, item]) =>
    typeof name === "string" ? [[name, failureDomainOf(recordOf(item))] as const] : [],
  );
  return domains.length === 0 ? undefined : Object.fromEntries(domains);
}

/** Why the object has failed for good; undefined when it has not. */
export function failureOf(object: Read): ContractFailure | undefined {
  const { failureReason, failureMessage } = statusOf(object);
  if (!isText(failureReason) && !isText(failureMessage)) return undefined;
  const reason = isText(failureReason) ? failureReason : "Failed";
  return { reason, message: isText(failureMessage) ? failureMessage : reason };
}

/** How many machines a pool has. */
export function replicasOf(object: Read): number | undefined {
  return countIn(object, "replicas");
}

/** How many machines an autoscaler wants of a pool that has more or fewer at the moment; ours alone says it. */
export function externalReplicasOf(object: Read): number | undefined {
  return countIn(object, "externalReplicas");
}

/** How many machines of a pool are as it wants them; none of Cluster API's contracts, so that few say it. */
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

/** The Secret with the bootstrap data; undefined while there is none. */
export function dataSecretNameOf(object: Read): string | undefined {
  const name = statusOf(object)["dataSecretName"];
  return isText(name) ? name : undefined;
}

/** What the object says about being ready, if it says it in a condition. */
export function readyConditionOf(object: Read): Frozen<Condition> | undefined {
  const { conditions } = statusOf(object);
  const list = Array.isArray(conditions) ? (conditions as readonly unknown[]) : [];
  return list.find(
    (one): one is Frozen<Condition> =>
      recordOf(one)["type"] === "Ready" &&
      ["True", "False", "Unknown"].includes(String(recordOf(one)["status"])),
  );
}

function failureDomainOf({ controlPlane, attributes }: Fields): FailureDomains[string] {
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

function recordOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
