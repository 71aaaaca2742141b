import { expect, test } from "vitest";
import { keepingLogger, type Line, TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { logDisruptions } from "./logged-client.ts";

test("a delete is logged before it is sent, with kind and name; other writes are not", async () => {
  const testServer = new TestServer();
  const lines: Line[] = [];
  const client = logDisruptions(testServer.client, keepingLogger(lines));
  await testServer.run(client.create(TestObject, testObject("a")));
  expect(lines).toEqual([]);
  const deleted = client.delete(TestObject, { name: "a", namespace: "default" });
  expect(lines).toEqual([
    {
      level: "info",
      message: "Deleting object",
      fields: { kind: TestObject.kind, name: "a", namespace: "default" },
    },
  ]);
  await testServer.run(deleted);
});
