import { globSync, readFileSync } from "node:fs";
import { customKinds } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";

let plane: ControlPlane;
let client: Client;
const files = globSync("packages/api/crds/*_*.yaml");

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env: createRealEnv(), fieldManager: "test" });
});
afterAll(() => plane.stop());

describe("a real kube-apiserver", () => {
  test("has a file for each of our kinds", () => {
    expect(files).toHaveLength(customKinds.length);
  });

  test.each(files)("accepts %s as structural and establishes it", async (file) => {
    const crd = parse(readFileSync(file, "utf8")) as CustomResourceDefinition;
    const established = await establish(client, crd, { isConverted: true });
    const problems = established.status?.conditions.filter(({ type }) => type === "NonStructuralSchema");
    expect(problems).toEqual([]);
    expect(established.status?.acceptedNames).toMatchObject({
      plural: crd.spec.names.plural,
      kind: crd.spec.names.kind,
    });
  });

  test.each(customKinds.map((kind) => [kind.kind, kind] as const))("serves %s", async (_, kind) => {
    expect(await client.list(kind)).toEqual([]);
  });
});
