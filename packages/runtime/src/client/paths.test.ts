import { Lease, Node } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { TestObject } from "../test-server.fixture.ts";
import { collectionPath, objectPath, withQuery } from "./paths.ts";

const testObjects = "/apis/test.capstan.dev/v1";

describe("paths", () => {
  test("address a kind in all namespaces, or in one", () => {
    expect(collectionPath(TestObject)).toBe(`${testObjects}/boats`);
    expect(collectionPath(TestObject, "north")).toBe(`${testObjects}/namespaces/north/boats`);
  });

  test("begin with /api for Kubernetes' own group without a name, and with /apis for all others", () => {
    expect(objectPath(Node, { name: "n1" })).toBe("/api/v1/nodes/n1");
    expect(objectPath(Lease, { name: "l", namespace: "x" })).toBe(
      "/apis/coordination.k8s.io/v1/namespaces/x/leases/l",
    );
  });

  test("ignore a namespace where the kind has none", () => {
    expect(objectPath(Node, { name: "n1", namespace: "default" })).toBe("/api/v1/nodes/n1");
  });

  test("address a subresource", () => {
    expect(objectPath(TestObject, { name: "a", namespace: "north" }, "status")).toBe(
      `${testObjects}/namespaces/north/boats/a/status`,
    );
  });

  test("encode names, so that no name changes the path", () => {
    expect(objectPath(TestObject, { name: "x?y#z", namespace: "a b" })).toBe(
      `${testObjects}/namespaces/a%20b/boats/x%3Fy%23z`,
    );
  });

  test.each(["../../victim/secrets/prize", "a/b", "..", ".", "", "..%2f"])(
    "refuse %j, which is not a name, before a request",
    (name) => {
      const text = expect.stringContaining(JSON.stringify(name)) as string;
      const refusal = expect.objectContaining({
        failure: "Terminal",
        reason: "InvalidName",
        message: text,
      }) as Error;
      expect(() => objectPath(TestObject, { name, namespace: "north" })).toThrow(refusal);
      expect(() => collectionPath(TestObject, name)).toThrow(refusal);
    },
  );

  test("refuse a namespaced object without a namespace, and name it", () => {
    expect(() => objectPath(TestObject, { name: "a" })).toThrow(
      "Boat a: a namespaced kind needs a namespace",
    );
  });

  test("carry the parameters that are set, encoded", () => {
    expect(withQuery("/x", { limit: undefined })).toBe("/x");
    expect(withQuery("/x", { labelSelector: "a in (b,c)", limit: 5, watch: true, continue: undefined })).toBe(
      "/x?labelSelector=a+in+%28b%2Cc%29&limit=5&watch=true",
    );
  });
});
