import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectMadeIn, objectsIn, textIn } from "../fields.ts";

// Three hours.
const AFFINITY_SECONDS = 10_800;

/** Sets the defaults of a service. */
export function defaultService(service: Draft): void {
  const spec = objectMadeIn(service, "spec");
  fillIn(spec, { type: "ClusterIP", sessionAffinity: "None" });
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP")
    fillIn(objectMadeIn(objectMadeIn(spec, "sessionAffinityConfig"), "clientIP"), {
      timeoutSeconds: AFFINITY_SECONDS,
    });
  for (const port of objectsIn(spec, "ports")) defaultPort(port);
  defaultTraffic(spec, textIn(spec, "type"));
}

function defaultPort(port: Fields): void {
  fillIn(port, { protocol: "TCP" });
  if (!port["targetPort"]) port["targetPort"] = port["port"] ?? 0;
}

function defaultTraffic(spec: Fields, type: string): void {
  const isOpenToTheWorld = type === "NodePort" || type === "LoadBalancer";
  if (isOpenToTheWorld) fillIn(spec, { externalTrafficPolicy: "Cluster" });
  if (isOpenToTheWorld || type === "ClusterIP") fillIn(spec, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") fillIn(spec, { allocateLoadBalancerNodePorts: true });
}
