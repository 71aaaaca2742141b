import type { Transport } from "@capstan/env";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInSchemas } from "../../packages/apiserver/src/openapi/built-in/blocks.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: Properties }>> };
}

const GROUPS = [
  "api/v1",
  "apis/apps/v1",
  "apis/authentication.k8s.io/v1",
  "apis/authorization.k8s.io/v1",
  "apis/autoscaling/v1",
  "apis/batch/v1",
  "apis/coordination.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/policy/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/storage.k8s.io/v1",
];

let plane: ControlPlane;
let transport: Transport;

beforeAll(async () => {
  plane = await startControlPlane();
  transport = plane.connect();
});
afterAll(async () => {
  await transport.close();
  await plane.stop();
});

async function schemasOf(group: string): Promise<Document["components"]["schemas"]> {
  const answer = await transport.request({ method: "GET", path: `/openapi/v3/${group}`, headers: {} });
  return ((await answer.json()) as Document).components.schemas;
}

/** What a strategic merge does with the fields of a type. */
function merges(properties: Properties = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      [field["x-kubernetes-patch-strategy"], field["x-kubernetes-patch-merge-key"]],
    ]),
  );
}

test.each(GROUPS)(
  "our types of %s have the fields of a real kube-apiserver, merged in the same way",
  async (group) => {
    const theirs = await schemasOf(group);
    const ours = [...builtInSchemas()].filter(([name]) => theirs[name] !== undefined);
    expect(ours.length).toBeGreaterThan(5);
    for (const [name, schema] of ours)
      expect(merges(schema["properties"] as Properties), name).toEqual(merges(theirs[name]?.properties));
  },
);
