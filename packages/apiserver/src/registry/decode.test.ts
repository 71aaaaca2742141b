import { describe, expect, test } from "vitest";
import { paths, TestClient } from "../testing.ts";

const UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): ";
const UNHANDLED = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';

describe("a body that is not an object of its kind", () => {
  // What kube-apiserver 1.35 answers to each.
  test.each([
    [
      "",
      `${UNRECOGNIZED}couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
    ],
    [
      "[]",
      `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
    ],
    [
      '{"apiVersion":1,"metadata":{"name":"c4"}}',
      `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":1,"metadata":{"n ...)`,
    ],
    [
      '{"kind":"ConfigMap","apiVersion":"a/b/c"}',
      `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"kind":"ConfigMap","apiVersio ...)`,
    ],
    [
      '{"kind":"Secret","metadata":{"name":"a"}}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"kind":"Boat","apiVersion":"x/v1"}',
      'Boat in version "v1" cannot be handled as a ConfigMap: no kind "Boat" is registered for version "x/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '{"metadata":{"name":"a"},"immutable":1}',
      `${UNHANDLED}json: cannot unmarshal number into Go struct field ConfigMap.immutable of type bool`,
    ],
  ])("%j is refused", async (body, message) => {
    const answer = await new TestClient().create(paths.configMaps, body);
    expect(answer.body).toMatchObject({ code: 400, reason: "BadRequest", message });
  });

  test("a null is an object without a name", async () => {
    const { body } = await new TestClient().create(paths.configMaps, "null");
    expect(body.message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  test("of a patch is refused with the result of the patch", async () => {
    const client = new TestClient();
    await client.create(paths.configMaps, { metadata: { name: "a" } });
    const { body } = await client.merge(`${paths.configMaps}/a`, { data: { a: 1 } });
    expect(body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{.*\\"data\\":\{\\"a\\":1\}.*\}": json: /,
    );
  });
});

describe("unknown and duplicate fields of Kubernetes' own kinds", () => {
  const text = '{"metadata":{"name":"a","name":"b"},"data":{"a":"1","a":"2"},"foo":{"x":1,"x":2},"bar":1}';

  test("are refused together, without the contents of unknown fields", async () => {
    const { body } = await new TestClient().create(`${paths.configMaps}?fieldValidation=Strict`, text);
    expect(body.message).toBe(
      `${UNHANDLED}strict decoding error: duplicate field "metadata.name", duplicate field "data.a", unknown field "foo", unknown field "bar"`,
    );
  });

  test("are dropped with a warning, and the last one counts", async () => {
    const { body, headers } = await new TestClient().create(paths.configMaps, text);
    expect(body).toMatchObject({ metadata: { name: "b" }, data: { a: "2" } });
    expect(body).not.toHaveProperty("foo");
    expect(headers["warning"]).toContain(String.raw`299 - "unknown field \"foo\""`);
  });
});

test("64-bit numbers in metadata are decoded like any others", async () => {
  const text = '{"metadata":{"name":"a","generation":9223372036854775807,"selfLink":"x","managedFields":[]}}';
  const { status, body } = await new TestClient().create(paths.configMaps, text);
  expect(status).toBe(201);
  for (const field of ["selfLink", "managedFields"]) expect(body.metadata).not.toHaveProperty(field);
});
