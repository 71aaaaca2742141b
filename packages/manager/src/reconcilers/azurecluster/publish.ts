import { networkID, ownerOf, subnetID, virtualNetworkID } from "../../azure-cluster/spec-view.ts";
import { isJsonObject } from "@capstan/api";
import { next, type Outcome, terminal } from "@capstan/runtime";
import { readinessFields } from "../../contract/provisioned.ts";
import { annotate } from "./prepare.ts";
import { normalizedId } from "@capstan/azure";
import { annotationsFor, applied } from "./model/last-applied.ts";
import type { Scope } from "./scope.ts";
import { isOwned, ownershipTag } from "@capstan/plan";
import { apiServerBalancerID } from "./model/load-balancers.ts";

/** All resources exist: publishes their ids and the endpoint, and records that removed items are gone from Azure. */
export function publish(scope: Scope): Outcome {
  const { cluster, plan, context } = scope;
  annotate(cluster, annotationsFor(applied(plan)));
  publishIDs(scope);
  publishEndpoint(scope);
  const wasReady = cluster.status?.ready === true;
  cluster.status = { ...cluster.status, ...readinessFields(cluster.status, true) };
  if (!wasReady) {
    context.event({
      type: "Normal",
      reason: "InfrastructureReady",
      message: "The network of the cluster is ready",
    });
  }
  return next;
}

/** Ids and the tag of ownership, in the fields that CAPZ and its tools read. */
function publishIDs(scope: Scope): void {
  const { cluster, plan } = scope;
  const network = cluster.spec.networkSpec ?? {};
  const { vnet, subnets, apiServerLB } = network;
  if (vnet) publishNetwork(scope, vnet);
  if (subnets) network.subnets = subnets.map((one) => ({ ...one, id: one.id ?? subnetID(plan, one.name) }));
  const balancer = apiServerBalancerID(plan);
  if (apiServerLB && balancer !== undefined) apiServerLB.id ??= balancer;
}

function publishNetwork({ plan, memory }: Scope, vnet: { id?: string; tags?: Record<string, string> }): void {
  const id = virtualNetworkID(plan) ?? "";
  vnet.id ??= id;
  const { body = {} } = memory.seen.get(normalizedId(id)) ?? {};
  if (isOwned(body, ownerOf(plan))) vnet.tags ??= { [ownershipTag(plan.clusterName)]: "owned" };
}

/** The endpoint is written once, because machines and certificates depend on it. */
function publishEndpoint(scope: Scope): void {
  const { cluster, plan } = scope;
  if (cluster.spec.controlPlaneEndpoint?.host || cluster.spec.controlPlaneEnabled === false) return;
  cluster.spec.controlPlaneEndpoint = { host: hostOf(scope), port: plan.apiServerPort };
}

function hostOf({ plan, memory }: Scope): string {
  const { type, frontendIPs = [] } = plan.spec.networkSpec?.apiServerLB ?? {};
  const { privateIP, publicIP } = frontendIPs[0] ?? {};
  if (type === "Internal") return privateIP ?? noHost("privateIP");
  const address = memory.seen.get(normalizedId(networkID(plan, `publicIPAddresses/${publicIP?.name}`)));
  return nameOrAddressIn(address?.body) ?? noHost("publicIP");
}

function noHost(field: string): never {
  const message = `spec.networkSpec.apiServerLB.frontendIPs[0].${field}: it has neither a DNS name nor an IP address`;
  throw terminal("EndpointUnknown", message);
}

function nameOrAddressIn(body: unknown): string | undefined {
  return textAt(body, ["properties", "dnsSettings", "fqdn"]) ?? textAt(body, ["properties", "ipAddress"]);
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>((part, field) => (isJsonObject(part) ? part[field] : undefined), value);
  return typeof found === "string" && found !== "" ? found : undefined;
}
