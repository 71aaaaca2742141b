import type { HttpRequest } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { armCall, type Call, kubeCall } from "./call.ts";

const ask = (line: string, body?: unknown): HttpRequest => {
  const [method = "", path = ""] = line.split(" ");
  return { method, path, headers: {}, ...(body !== undefined && { body }) };
};
const WAY = { process: "manager-1", by: "machine", server: "management" };
const text = ({ verb, resource, namespace = "-", name, subresource = "-", isWrite }: Call): string =>
  [verb, resource, namespace, name, subresource, isWrite ? "writes" : "reads"].join(" ");

describe("a request to Kubernetes", () => {
  const group = "/apis/cluster.x-k8s.io/v1beta1";
  test.each([
    [`GET ${group}/machines?limit=500`, undefined, "list machines -  - reads"],
    [`GET ${group}/machines?watch=true&resourceVersion=5`, undefined, "watch machines -  - reads"],
    [`GET ${group}/namespaces/a/machines/m`, undefined, "get machines a m - reads"],
    [`PATCH ${group}/namespaces/a/machines/m/status?fieldManager=x`, {}, "patch machines a m status writes"],
    [`POST ${group}/namespaces/a/machines`, { metadata: { name: "m" } }, "create machines a m - writes"],
    ["POST /api/v1/namespaces/a/events", { metadata: { generateName: "e." } }, "create events a e. - writes"],
    ["POST /api/v1/namespaces/a/pods/p/eviction", {}, "create pods a p eviction writes"],
    ["DELETE /api/v1/nodes/n", undefined, "delete nodes - n - writes"],
    ["PUT /api/v1/namespaces/a", {}, "update namespaces - a - writes"],
    [
      "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {},
      "create selfsubjectaccessreviews -  - reads",
    ],
  ])("%s", (line, body, expected) => {
    expect(text(kubeCall(ask(line, body), WAY))).toBe(expected);
  });
});

test("a call has its sender and its receiver, and tells whether it cordons a Node", () => {
  const node = "PATCH /api/v1/nodes/n";
  const pod = "PATCH /api/v1/namespaces/a/pods/p";
  const cordon = { spec: { unschedulable: true } };
  expect(kubeCall(ask(node, cordon), WAY)).toMatchObject({ ...WAY, isCordon: true });
  expect(kubeCall(ask(node, { spec: {} }), WAY).isCordon).toBe(false);
  expect(kubeCall(ask(pod, cordon), WAY).isCordon).toBe(false);
});

describe("a request to Azure", () => {
  const group = "/subscriptions/s/resourceGroups/g";
  const sets = `${group}/providers/Microsoft.Compute/virtualMachineScaleSets`;
  test.each([
    [`PUT ${group}?api-version=1`, "PUT resourceGroups - g - writes"],
    [`PUT ${sets}/pool?api-version=1`, "PUT virtualMachineScaleSets - pool - writes"],
    [`POST ${sets}/pool/delete?api-version=1`, "POST virtualMachineScaleSets/delete - pool - writes"],
    [
      `GET ${sets}/pool/virtualMachines?api-version=1`,
      "LIST virtualMachineScaleSets/virtualMachines - pool - reads",
    ],
    [`GET ${sets}/pool/virtualMachines/3`, "GET virtualMachineScaleSets/virtualMachines - pool/3 - reads"],
    [
      "GET /subscriptions/s/providers/Microsoft.Compute/locations/westus2/operations/o?x=1",
      "GET locations/operations - westus2/o - reads",
    ],
    [`HEAD ${group}`, "HEAD resourceGroups - g - reads"],
  ])("%s", (line, expected) => {
    expect(text(armCall(ask(line), WAY))).toBe(expected);
  });
});

test("reads capacity, instances and tags from a body that is text or a value", () => {
  const sets = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets";
  const bodies: readonly [string, object, Partial<Call>][] = [
    [`PUT ${sets}/pool`, { sku: { capacity: 3 } }, { capacity: 3 }],
    [`POST ${sets}/pool/delete`, { instanceIds: ["0", "2"] }, { instances: ["0", "2"] }],
  ];
  for (const [line, body, expected] of bodies) {
    expect(armCall(ask(line, body), WAY)).toMatchObject(expected);
    expect(armCall(ask(line, JSON.stringify(body)), WAY)).toMatchObject(expected);
  }
  expect(armCall(ask("POST /tenant/oauth2/v2.0/token", "grant_type=x"), WAY)).not.toHaveProperty("capacity");
});
