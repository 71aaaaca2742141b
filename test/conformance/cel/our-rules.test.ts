import { expect, test } from "vitest";
import { startServer } from "../apply/stepped-server.ts";
import { definitionFor, isAcceptedBy, ruleCases } from "./our-rules.ts";

test.each(ruleCases().map((one) => [one.title, one] as const))("a rule of our kinds: %s", async (_, one) => {
  const { send } = startServer();
  const headers = { "content-type": "application/json" };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const created = await send({ method: "POST", path, headers, body: JSON.stringify(definitionFor(one)) });
  expect([created.status, created.headers["warning"]]).toEqual([201, undefined]);
  expect(await isAcceptedBy(send, one, "a")).toBe(one.isAccepted);
});
