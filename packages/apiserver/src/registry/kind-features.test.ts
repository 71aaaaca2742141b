import { DEFAULT_FEATURES, defineKind, type Features, invalid, Namespace } from "@capstan/api";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";

const Gated = defineKind({
  group: "test.capstan.dev",
  version: "v1",
  kind: "Gated",
  plural: "gateds",
  scope: "Namespaced",
  description: "A kind that needs a feature.",
  spec: { type: "object", properties: {} },
  validate: ({ object, features }) =>
    features?.InPlaceUpdates === true
      ? []
      : [invalid("spec", object.spec, "needs the feature gate InPlaceUpdates")],
});

async function createWith(features?: Features): Promise<number> {
  const scheduler = new Scheduler({ seed: "1" });
  const env = new VirtualProcess(scheduler, "apiserver");
  const server = createApiServer({ env, kinds: [Namespace, Gated], ...(features && { features }) });
  const object = { apiVersion: Gated.apiVersion, kind: Gated.kind, metadata: { name: "a" }, spec: {} };
  const answer = server.handle({
    method: "POST",
    path: "/apis/test.capstan.dev/v1/namespaces/default/gateds",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(object),
  });
  let status: number | undefined;
  void answer.then((response) => (status = response.status));
  await scheduler.run({ until: () => status !== undefined });
  return status ?? 0;
}

test("the rules of a kind know which features the server was started with", async () => {
  expect(await createWith()).toBe(422);
  expect(await createWith({ ...DEFAULT_FEATURES, InPlaceUpdates: true })).toBe(201);
});
