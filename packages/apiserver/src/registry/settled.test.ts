import { deepCopy, defineKind } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, TestClient, testKinds, type Seen } from "../testing.ts";
import type { Admission, AdmissionReview } from "./admission.ts";

const text = { type: "string" };
const texts = { type: "array", items: text };

interface Marked {
  readonly metadata: { labels?: Record<string, string> };
  readonly spec: { marks: string[] };
}

/** A kind whose defaulting changes any part of its input in place. */
const Gadget = defineKind({
  group: "test.x-k8s.io",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  description: "Something with marks.",
  spec: {
    type: "object",
    properties: {
      marks: texts,
      size: { type: "integer", default: 1 },
      rows: { type: "array", items: { type: "object", properties: { a: text } } },
    },
  },
  status: { type: "object", properties: { phase: text, seen: texts } },
  applyDefaults: (draft) => {
    const { metadata, spec } = draft as unknown as Marked;
    if (metadata.labels?.["mark"] === undefined) return;
    spec.marks.push(metadata.labels["mark"]);
    delete metadata.labels["mark"];
  },
});

const GADGETS = paths.widgets.replace("widgets", "gadgets");
const G = `${GADGETS}/g`;
const gadget = {
  apiVersion: "test.x-k8s.io/v1",
  kind: "Gadget",
  metadata: { name: "g", labels: { l: "1" } },
  spec: { marks: ["a"] },
};

/** A client with a gadget that has been patched twice, so that unchanged parts are marked as settled. */
async function withGadget(admission: Admission = {}): Promise<TestClient> {
  const client = new TestClient({ kinds: [...testKinds, Gadget], admissions: [admission] });
  expect((await client.create(GADGETS, gadget)).status).toBe(201);
  for (const phase of ["A", "B"]) await client.merge(`${G}/status`, { status: { phase, seen: ["x"] } });
  for (const l of ["2", "3"]) await client.merge(G, { metadata: { labels: { l } } });
  return client;
}

const stored = async (client: TestClient): Promise<Seen> => (await client.get(G)).body;

describe("a part that a patch does not change", () => {
  test("is the stored part itself", async () => {
    const client = await withGadget();
    const before = await stored(client);
    const { body } = await client.merge(`${G}/status`, { status: { phase: "C" } });
    expect(body.status).toEqual({ phase: "C", seen: ["x"] });
    expect(body.spec).toBe(before.spec);
    expect(body.metadata.labels).toBe(before.metadata.labels);
    expect(before.status).toEqual({ phase: "B", seen: ["x"] });
  });

  test("can be changed by the rules of the kind, and not in the storage", async () => {
    const client = await withGadget();
    const before = await stored(client);
    const { body } = await client.merge(G, { metadata: { labels: { mark: "b" } } });
    expect(body.spec).toEqual({ marks: ["a", "b"], size: 1 });
    expect(body.metadata.labels).toEqual({ l: "3" });
    expect(before.spec).toEqual({ marks: ["a"], size: 1 });
    expect(before.metadata.labels).toEqual({ l: "3" });
  });

  test("can be changed by an admission, without effect on parts that the path does not write", async () => {
    const change = { isOn: false };
    const client = await withGadget({
      mutate: ({ object }: AdmissionReview) => {
        const { metadata, spec } = object as unknown as Required<Marked>;
        if (!change.isOn || !spec) return;
        spec.marks.push("z");
        Object.assign(metadata.labels ?? {}, { z: "z" });
      },
    });
    change.isOn = true;
    const before = await stored(client);
    const ofStatus = (await client.merge(`${G}/status`, { status: { phase: "C" } })).body;
    expect(ofStatus).toMatchObject({ spec: { marks: ["a"] }, metadata: { labels: { l: "3" } } });
    const ofObject = (await client.merge(G, { metadata: { annotations: { a: "b" } } })).body;
    expect(ofObject).toMatchObject({ spec: { marks: ["a", "z"] }, metadata: { labels: { l: "3", z: "z" } } });
    expect(before.spec["marks"]).toEqual(["a"]);
  });

  test("is reported each time if it has unknown fields", async () => {
    const client = await withGadget({
      mutate: ({ object, operation }) => {
        if (operation === "CREATE" && object?.["spec"]) Object.assign(object["spec"], { extra: 1 });
      },
    });
    const warnings = [];
    await client.create(GADGETS, { ...gadget, metadata: { name: "h" } });
    for (const phase of ["A", "B", "C"]) {
      const { headers } = await client.merge(`${GADGETS}/h/status`, { status: { phase } });
      warnings.push(headers["warning"]);
    }
    expect(warnings).toEqual(Array(3).fill(String.raw`299 - "unknown field \"spec.extra\""`));
  });

  test("is decoded again by another schema", async () => {
    const fields = (size: object): object => ({
      type: "object",
      properties: { spec: { type: "object", properties: { size } }, status: { type: "object" } },
    });
    const version = (name: string, size: object): object => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: fields(size) },
    });
    const client = new TestClient();
    const whole = { type: "integer" };
    await client.create(paths.definitions, {
      metadata: { name: "gizmos.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "gizmos", kind: "Gizmo" },
        versions: [version("v1", whole), version("v2", { ...whole, default: 7 })],
      },
    });
    const at = (name: string): string => `/apis/example.com/${name}/namespaces/default/gizmos`;
    await client.create(at("v1"), {
      apiVersion: "example.com/v1",
      kind: "Gizmo",
      metadata: { name: "g" },
      spec: {},
    });
    for (const l of ["1", "2"]) await client.merge(`${at("v1")}/g`, { metadata: { labels: { l } } });
    expect((await client.get(`${at("v1")}/g`)).body.spec).toEqual({});
    const { body } = await client.merge(`${at("v2")}/g`, { metadata: { labels: { l: "3" } } });
    expect(body.spec).toEqual({ size: 7 });
  });
});

describe("a part that a patch of a Node does not change", () => {
  const N = `${paths.nodes}/n`;

  test("is the stored part itself", async () => {
    const client = new TestClient();
    const spec = { podCIDR: "10.0.0.0/24", taints: [{ key: "k", effect: "NoSchedule" }] };
    await client.create(paths.nodes, { metadata: { name: "n" }, spec, status: { capacity: { cpu: "4" } } });
    for (const l of ["1", "2"])
      expect((await client.merge(N, { metadata: { labels: { l } } })).status).toBe(200);
    const before = (await client.get(N)).body;
    expect(before.status).toEqual({ capacity: { cpu: "4" }, allocatable: { cpu: "4" } });
    const { body } = await client.merge(N, { spec: { unschedulable: true } });
    expect(body.spec).toEqual({ ...spec, podCIDRs: ["10.0.0.0/24"], unschedulable: true });
    expect(body.status).toBe(before.status);
    expect(body.metadata.labels).toBe(before.metadata.labels);
  });

  test("is decoded if that has not been done before", async () => {
    const client = new TestClient();
    await client.get(N);
    await client.server.storage.create(
      { resource: "/nodes", namespace: "", name: "n" },
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "n", uid: "u", labels: { a: "b" } },
        spec: {},
        status: { capacity: { cpu: "1000m" }, conditions: [] },
      },
    );
    const { body } = await client.merge(N, { metadata: { annotations: { a: "b" } } });
    expect(body.metadata).toMatchObject({ labels: { a: "b" }, annotations: { a: "b" } });
    // A write to the main path does not change the status, not even its format.
    expect(body.status).toEqual({ capacity: { cpu: "1000m" }, conditions: [] });
    const read = await client.merge(`${N}/status`, { status: { phase: "Running" } });
    expect(read.body.status).toEqual({
      capacity: { cpu: "1" },
      allocatable: { cpu: "1" },
      phase: "Running",
    });
  });
});

test("a part that a patch does not change counts when the object becomes too large", async () => {
  const client = await withGadget();
  const answerTo = async (seen: number): Promise<number> =>
    (await client.merge(`${G}/status`, { status: { seen: ["x".repeat(seen)] } })).status;
  // Two bytes per letter: more than half of what can be stored.
  await client.merge(G, { spec: { marks: Array(50).fill("ä".repeat(8000)) } });
  for (const seen of [1, 2, 600_000]) expect(await answerTo(seen)).toBe(200);
  expect(await answerTo(800_000)).toBe(500);
});

test("a patch is not changed by later changes of its values", async () => {
  const client = await withGadget();
  const patch = { spec: { rows: [{ a: "x", b: null }, { c: 1 }], marks: ["m"] }, status: null };
  const sent = deepCopy(patch);
  const { body, headers } = await client.merge(G, patch);
  expect(body.spec).toEqual({ marks: ["m"], size: 1, rows: [{ a: "x" }, {}] });
  expect(headers["warning"]).toContain("spec.rows[1].c");
  expect(patch).toEqual(sent);
  patch.spec.marks.push("later");
  expect((await stored(client)).spec["marks"]).toEqual(["m"]);
});

test("a patch that is retried is the one that was sent", async () => {
  const racer: { run: (() => Promise<unknown>) | undefined } = { run: undefined };
  const client = await withGadget({
    mutate: async () => {
      const { run } = racer;
      racer.run = undefined;
      await run?.();
    },
  });
  racer.run = () => client.merge(G, { spec: { size: 2 } });
  const { body, headers } = await client.merge(G, { spec: { rows: [{ a: "x", b: 1 }] } });
  expect(body.spec).toEqual({ marks: ["a"], size: 2, rows: [{ a: "x" }] });
  expect(headers["warning"]).toContain("spec.rows[0].b");
});
