import { customKinds, toCustomResourceDefinition } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";

/** Creates a definition and returns its conditions, or why it was refused. */
async function conditionsOf(body: unknown): Promise<unknown> {
  const { handle } = createApiServer({ env: createRealEnv(), kinds: [] });
  const answer = await handle({
    method: "POST",
    path: PATH,
    headers: { "content-type": "application/json" },
    body,
  });
  const { message, status } = (await answer.json()) as {
    message?: string;
    status?: { conditions: { type: string; status: string }[] };
  };
  return message ?? status?.conditions.map((condition) => `${condition.type}=${condition.status}`);
}

const rows = customKinds.map((kind) => [kind.kind, toCustomResourceDefinition(kind)] as const);

describe("the CRDs of our kinds", () => {
  // The server refuses schemas that are not structural with kube-apiserver's messages; test:kube asks the real one.
  test.each(rows)("of %s is structural and has no keyword that Kubernetes does not know", async (_, crd) => {
    expect(await conditionsOf(crd)).toEqual(["NamesAccepted=True", "Established=True"]);
  });

  test("would be refused if they were not structural", async () => {
    const [, crd] = rows[0] ?? [];
    const broken = structuredClone(crd) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, object> } } }[] };
    };
    const schema = broken.spec.versions[0]?.schema.openAPIV3Schema;
    if (schema)
      schema.properties["spec"] = { properties: { size: { description: "a field without a type" } } };
    expect(await conditionsOf(broken)).toContain("must not be empty for specified object fields");
    if (schema) schema.properties["spec"] = { type: "object", patternProperties: {} };
    expect(await conditionsOf(broken)).toContain("patternProperties is not supported");
    if (schema) schema.properties["spec"] = { type: "object", minProperty: 1 };
    expect(await conditionsOf(broken)).toMatch(/unknown field .*minProperty/);
  });
});
