import { builtInKind, defineKind, invalid, toCustomResourceDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, TestClient, testKinds, widget } from "../testing.ts";
import type { Admission, AdmissionReview } from "./admission.ts";

describe("admission", () => {
  test("first all mutate the object in order, then all validate the result", async () => {
    const order: string[] = [];
    const admission = (name: string): Admission => ({
      mutate: ({ object }) => {
        order.push(`mutate ${name}`);
        if (object) object["spec"] = { ...(object["spec"] as object), [name]: true };
      },
      validate: async ({ object }) => {
        await Promise.resolve();
        order.push(`validate ${name} ${JSON.stringify(object?.["spec"])}`);
        return { warnings: [`${name} was here`] };
      },
    });
    const client = new TestClient({ admissions: [admission("x"), admission("y")] });
    const { body, headers } = await client.create(paths.widgets, widget("a"));
    expect(body.spec).toEqual({ x: true, y: true });
    expect(headers["warning"]).toBe('299 - "x was here", 299 - "y was here"');
    expect(order).toEqual([
      "mutate x",
      "mutate y",
      'validate x {"x":true,"y":true}',
      'validate y {"x":true,"y":true}',
    ]);
  });

  test("errors refuse the write with all their causes", async () => {
    const refuse = (field: string): Admission => ({
      validate: () => ({ errors: [invalid(field, 1, "must be 2")] }),
    });
    const client = new TestClient({ admissions: [refuse("spec.a"), refuse("spec.b")] });
    const { body } = await client.create(paths.widgets, widget("w"));
    expect(body).toMatchObject({
      code: 422,
      reason: "Invalid",
      message:
        'Widget.test.x-k8s.io "w" is invalid: [spec.a: Invalid value: 1: must be 2, spec.b: Invalid value: 1: must be 2]',
      details: {
        name: "w",
        group: "test.x-k8s.io",
        kind: "Widget",
        causes: [
          { reason: "FieldValueInvalid", field: "spec.a", message: "Invalid value: 1: must be 2" },
          { reason: "FieldValueInvalid", field: "spec.b", message: "Invalid value: 1: must be 2" },
        ],
      },
    });
    expect((await client.get(`${paths.widgets}/w`)).status).toBe(404);
  });

  test("may change any part of the object in place, once, also when the write is retried", async () => {
    const racer: { run: (() => Promise<unknown>) | undefined } = { run: undefined };
    const stamp: Admission = {
      mutate: async ({ object }) => {
        const data = object?.["data"] as { stamps: string } | undefined;
        if (data) data.stamps += "1";
        const { run } = racer;
        racer.run = undefined;
        await run?.();
      },
    };
    const client = new TestClient({ admissions: [stamp] });
    const path = `${paths.configMaps}/c`;
    const configMap = { metadata: { name: "c" }, data: { stamps: "" } };
    await client.create(paths.configMaps, configMap);
    const patched = await client.merge(path, { metadata: { labels: { l: "1" } } });
    expect(patched.body).toMatchObject({ data: { stamps: "11" } });
    racer.run = () => client.merge(path, { metadata: { labels: { l: "2" } } });
    const updated = await client.update(path, configMap);
    expect(updated.body).toMatchObject({ data: { stamps: "1" } });
  });

  test("gets the operation, the subresource and the objects", async () => {
    const seen: string[] = [];
    const describeReview = ({ kind, operation, subresource, object, old, dryRun }: AdmissionReview): void => {
      if (kind.kind === "Widget")
        seen.push(
          [operation, subresource, object ? "object" : "-", old ? "old" : "-", dryRun ? "dry" : "-"].join(
            " ",
          ),
        );
    };
    const client = new TestClient({
      admissions: [{ validate: (review) => (describeReview(review), {}) }],
    });
    await client.create(`${paths.widgets}?dryRun=All`, widget("a"));
    await client.create(paths.widgets, widget("a"));
    await client.merge(`${paths.widgets}/a/status`, { status: { x: 1 } });
    await client.delete(`${paths.widgets}/a`);
    expect(seen).toEqual([
      "CREATE  object - dry",
      "CREATE  object - -",
      "UPDATE status object old -",
      "DELETE  - old -",
    ]);
  });
});

describe("the rules of our own kinds", () => {
  const names = { group: "test.x-k8s.io", version: "v1", kind: "Gadget", plural: "gadgets" };
  const gadgets = builtInKind({ ...names, namespaced: true });
  const Gadget = defineKind({
    ...names,
    description: "Something with rules.",
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    applyDefaults: ({ spec }) => {
      (spec as { color?: string }).color ??= "red";
    },
    validate: ({ object, old, lookup }) => {
      const { color, like } = object.spec as { color: string; like?: string };
      const known = like === undefined || lookup?.get(gadgets, like, object.metadata.namespace) !== undefined;
      return [
        ...(old && (old.spec as { color: string }).color !== color
          ? [invalid("spec.color", color, "field is immutable")]
          : []),
        ...(known ? [] : [invalid("spec.like", like, "must name a Gadget that is there")]),
      ];
    },
    warn: ({ object }) =>
      (object.spec as { color: string }).color === "red" ? ["red is a common choice"] : [],
  });
  const GADGETS = paths.widgets.replace("widgets", "gadgets");
  const gadget = (name: string, spec?: object): object => ({
    apiVersion: "test.x-k8s.io/v1",
    kind: "Gadget",
    metadata: { name },
    ...(spec && { spec }),
  });
  const newClient = (): TestClient => new TestClient({ kinds: [...testKinds, Gadget] });

  test("defaults are set and hints are returned as warnings", async () => {
    const { status, body, headers } = await newClient().create(GADGETS, gadget("a", {}));
    expect(status).toBe(201);
    expect(body.spec).toEqual({ color: "red" });
    expect(headers["warning"]).toBe('299 - "red is a common choice"');
  });

  test("a change against the rules is invalid, a write of the status is not checked", async () => {
    const client = newClient();
    await client.create(GADGETS, gadget("a", { color: "blue" }));
    const { body } = await client.merge(`${GADGETS}/a`, { spec: { color: "green" } });
    expect(body).toMatchObject({
      code: 422,
      message: 'Gadget.test.x-k8s.io "a" is invalid: spec.color: Invalid value: "green": field is immutable',
    });
    await client.create(GADGETS, gadget("red", {}));
    const status = await client.merge(`${GADGETS}/red/status`, { status: { x: 1 } });
    expect(status.status).toBe(200);
    expect(status.headers["warning"]).toBeUndefined();
  });

  test("rules can read other objects", async () => {
    const client = newClient();
    const alone = await client.create(GADGETS, gadget("b", { like: "a" }));
    expect(alone.body.message).toContain('spec.like: Invalid value: "a": must name a Gadget that is there');
    await client.create(GADGETS, gadget("a", {}));
    expect((await client.create(GADGETS, gadget("b", { like: "a" }))).status).toBe(201);
  });

  test("an object that does not fit its schema is refused before the rules run", async () => {
    const { body } = await newClient().create(GADGETS, { ...gadget("a"), spec: "red" });
    expect(body).toMatchObject({
      code: 422,
      details: { causes: [{ reason: "FieldValueTypeInvalid", field: "spec" }] },
    });
  });

  test("an object that fits the schema and that the rules cannot process is refused, and is not a server error", async () => {
    const Pedant = defineKind({
      ...names,
      description: "Rules that take for granted what the schema does not say.",
      spec: { "x-kubernetes-preserve-unknown-fields": true },
      applyDefaults: ({ spec }) => {
        (spec as { list: string[] }).list.push("more");
      },
    });
    const { body } = await new TestClient({ kinds: [...testKinds, Pedant] }).create(GADGETS, gadget("a", {}));
    expect(body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(body.message).toContain("does not fit the schema of Gadget");
  });

  test("also apply if a CRD defines the kind", async () => {
    const client = new TestClient({ rules: [Gadget] });
    expect((await client.create(GADGETS, gadget("a", {}))).status).toBe(404);
    await client.create(paths.definitions, toCustomResourceDefinition(Gadget));
    const { body } = await client.create(GADGETS, gadget("a", {}));
    expect(body.spec).toEqual({ color: "red" });
    expect((await client.merge(`${GADGETS}/a`, { spec: { color: "green" } })).body.message).toContain(
      "spec.color",
    );
  });
});
