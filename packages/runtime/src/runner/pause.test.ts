import { Cluster, type Frozen } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { TestObject, testObject } from "../test-server.fixture.ts";
import { clusterOf, pausedBecause } from "./pause.ts";

const cluster = (paused: boolean): Frozen<Cluster> => ({
  apiVersion: Cluster.apiVersion,
  kind: Cluster.kind,
  metadata: { name: "fleet", namespace: "default" },
  spec: { paused },
});

describe("a pause", () => {
  test.each(["", "true", "false"])("is an annotation with any value: %j", (value) => {
    const object = testObject("a", { metadata: { annotations: { "cluster.x-k8s.io/paused": value } } });
    expect(pausedBecause(object, undefined)).toBe("the annotation cluster.x-k8s.io/paused is set");
  });

  test("is set on the Cluster", () => {
    expect(pausedBecause(testObject("a"), cluster(true))).toBe("Cluster fleet has spec.paused set");
    expect(pausedBecause(testObject("a"), cluster(false))).toBeUndefined();
    expect(pausedBecause(testObject("a"), undefined)).toBeUndefined();
  });
});

describe("the Cluster of an object", () => {
  const cache = (follows: boolean): Parameters<typeof clusterOf>[1] => ({
    follows: () => follows,
    get: ((kind: unknown, name: object) => (kind === Cluster ? { found: name } : undefined)) as never,
    list: () => [],
  });

  test("is the one its label names, in its namespace", () => {
    const object = testObject("a", { metadata: { labels: { "cluster.x-k8s.io/cluster-name": "fleet" } } });
    expect(clusterOf(object, cache(true))).toEqual({ found: { name: "fleet", namespace: "default" } });
    expect(clusterOf(object, cache(false)), "a manager without Clusters").toBeUndefined();
    expect(clusterOf(testObject("a"), cache(true))).toBeUndefined();
  });

  test("is the object itself if it is one, and not if it only has the same kind in another group", () => {
    const own = cluster(true);
    expect(clusterOf(own, cache(false))).toBe(own);
    expect(clusterOf({ ...own, apiVersion: TestObject.apiVersion }, cache(true))).toBeUndefined();
  });
});
