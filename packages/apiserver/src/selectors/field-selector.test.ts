import { describe, expect, test } from "vitest";
import { paths, TestClient, widget } from "../testing.ts";

describe("field selectors", () => {
  const pod = (name: string, nodeName: string, phase: string): object => ({
    metadata: { name },
    spec: { nodeName, containers: [{ name: "c", image: "i" }] },
    status: { phase },
  });

  async function podsBy(selector: string): Promise<string[]> {
    const client = new TestClient();
    for (const [name, node, phase] of [
      ["a", "n1", "Running"],
      ["b", "n1", "Failed"],
      ["c", "n2", "Running"],
    ] as const) {
      await client.create(paths.pods, pod(name, node, phase));
      await client.merge(`${paths.pods}/${name}/status`, { status: { phase } });
    }
    const { body } = await client.get(`/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`);
    return body.items.map(({ metadata }) => metadata.name);
  }

  test.each([
    ["spec.nodeName=n1", ["a", "b"]],
    ["spec.nodeName==n1,status.phase!=Failed", ["a"]],
    ["metadata.name!=a,metadata.namespace=default", ["b", "c"]],
    ["spec.nodeName=", []],
    [String.raw`metadata.name=a\,b`, []],
  ])("%s picks %j", async (selector, expected) => {
    expect(await podsBy(selector)).toEqual(expected);
  });

  test("a node without the field is schedulable", async () => {
    const client = new TestClient();
    await client.create(paths.nodes, { metadata: { name: "n1" } });
    await client.create(paths.nodes, { metadata: { name: "n2" }, spec: { unschedulable: true } });
    const { body } = await client.get(`${paths.nodes}?fieldSelector=spec.unschedulable%3Dfalse`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["n1"]);
  });

  test("events are found by their object", async () => {
    const client = new TestClient();
    for (const [name, about] of [
      ["e1", "p1"],
      ["e2", "p2"],
    ])
      await client.create(paths.events, { metadata: { name }, involvedObject: { kind: "Pod", name: about } });
    const query = "fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Dp2";
    const { body } = await client.get(`${paths.events}?${query}`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["e2"]);
  });

  test.each([
    [paths.widgets, "spec.color=red", "field label not supported: spec.color"],
    [paths.nodes, "metadata.namespace=x", "field label not supported: metadata.namespace"],
    [paths.widgets, "color", "invalid selector: 'color'; can't understand 'color'"],
  ])("%s?fieldSelector=%s is a bad request", async (path, selector, message) => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("a"));
    const answer = await client.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
    expect(answer.body).toMatchObject({ code: 400, reason: "BadRequest", message });
  });
});
