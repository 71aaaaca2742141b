import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";

const NOT_FOUND = {
  code: 404,
  reason: "NotFound",
  message: "the server could not find the requested resource",
  details: {},
};
const NOT_ALLOWED = {
  code: 405,
  reason: "MethodNotAllowed",
  message: "the server does not allow this method on the requested resource",
  details: {},
};

const body = (name: string, text: string, message: string | RegExp): Behaviour =>
  behaviour(name, async (api) => {
    expectRefusal(await api.post(api.inNamespace("configmaps"), text), {
      code: 400,
      reason: "BadRequest",
      message,
    });
  });

/** What follows is worded by Go's parser. */
const UNRECOGNIZED =
  /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /;

/** Requests that no friend would send. */
export const hostileBehaviours: readonly Behaviour[] = [
  body("JSON that is cut off is refused", '{"metadata":', UNRECOGNIZED),
  body("a second value after the first is refused", '{"metadata":{"name":"a"}}{"x":1}', UNRECOGNIZED),
  body("a word instead of JSON is refused", "nonsense", UNRECOGNIZED),
  body("a text instead of an object is refused", '"x"', UNRECOGNIZED),
  body("a list instead of an object is refused", "[]", UNRECOGNIZED),
  body("an empty body is refused", "", UNRECOGNIZED),
  body(
    "labels that are a list are refused",
    '{"metadata":{"name":"a","labels":["x"]}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ),
  body(
    "a name that is a number is refused",
    '{"metadata":{"name":1}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  ),
  body(
    "metadata that is a text is refused",
    '{"metadata":"x"}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
  ),

  behaviour("a body of an unknown media type is refused", async (api) => {
    const headers = { "content-type": "text/plain" };
    const answer = await api.post(api.inNamespace("configmaps"), '{"metadata":{"name":"a"}}', { headers });
    expect([answer.status, answer.body.reason]).toEqual([415, "UnsupportedMediaType"]);
    expect(answer.body.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml, application\/vnd\.kubernetes\.protobuf/,
    );
  }),

  behaviour("a media type may have parameters", async (api) => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" } }, { headers });
    expect(answer.status).toBe(201);
  }),

  behaviour("a body of more than three megabytes is refused, and the next request answered", async (api) => {
    const call = api.connection();
    const path = api.inNamespace("configmaps");
    const text = `{"metadata":{"name":"a"},"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}`;
    expectRefusal(await call({ method: "POST", path, body: text }), {
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });
    expect((await call({ method: "GET", path })).status).toBe(200);
  }),

  behaviour("a connection survives every kind of refusal", async (api) => {
    const call = api.connection();
    const path = api.inNamespace("configmaps");
    const statuses = [];
    for (const wrong of [
      { method: "POST", path, body: "nonsense" },
      { method: "GET", path: "/nonsense" },
      { method: "GET", path, token: "wrong" },
      { method: "PROPFIND", path },
      { method: "GET", path: `${path}/%zz` },
      { method: "GET", path },
    ])
      statuses.push((await call(wrong)).status);
    expect(statuses).toEqual([400, 404, 401, 405, 400, 200]);
  }),

  behaviour("a custom object that is larger than the store takes is refused", async (api) => {
    const boats = await api.customKind();
    const answer = await api.post(
      boats.path(),
      boats.object("a", { spec: { cargo: "x".repeat(1_700_000) } }),
    );
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      500,
      undefined,
      "etcdserver: request is too large",
    ]);
    expect((await api.get(`${boats.path()}/a`)).status).toBe(404);
  }),

  behaviour("annotations of more than 256 KiB are refused", async (api) => {
    const metadata = { name: "a", annotations: { a: "x".repeat(256 * 1024) } };
    const answer = await api.post(api.inNamespace("configmaps"), { metadata });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  }),

  behaviour("a label value of 64 characters is refused", async (api) => {
    const metadata = { name: "a", labels: { a: "x".repeat(64) } };
    const answer = await api.post(api.inNamespace("configmaps"), { metadata });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      `ConfigMap "a" is invalid: metadata.labels: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`,
    );
  }),

  behaviour("a label named __proto__ is refused as any such name", async (api) => {
    const text = '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}';
    const answer = await api.post(api.inNamespace("configmaps"), text);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      'metadata.labels: Invalid value: "__proto__": name part must consist of',
    );
  }),

  behaviour("a label named constructor is a label", async (api) => {
    const labels = { constructor: "x", toString: "y" };
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a", labels } });
    const query = { labelSelector: "constructor=x,toString,!hasOwnProperty" };
    const { body: list } = await api.get(api.inNamespace("configmaps"), { query });
    expect(list.items.map(({ metadata }) => metadata.labels)).toEqual([labels]);
  }),

  behaviour("keys named as parts of JavaScript are data like any other", async (api) => {
    const boats = await api.customKind();
    const text = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"__proto__":{"polluted":"yes"},"constructor":{"prototype":1},"hasOwnProperty":2}}`;
    const created = await api.post(boats.path(), text);
    expect(created.status).toBe(201);
    const stored = await api.get(`${boats.path()}/a`);
    expect(stored.text).toContain('"__proto__":{"polluted":"yes"}');
    expect(stored.text).toContain('"constructor":{"prototype":1}');
    const patched = await api.patch(`${boats.path()}/a`, "merge", '{"spec":{"__proto__":{"more":1}}}');
    expect(patched.text).toMatch(/"__proto__":\{("more":1,"polluted":"yes"|"polluted":"yes","more":1)\}/);
    const data = '{"metadata":{"name":"b"},"data":{"__proto__":"x","constructor":"y"}}';
    expect((await api.post(api.inNamespace("configmaps"), data)).text).toContain('"__proto__":"x"');
  }),

  behaviour("integers of 64 bits are kept exactly", async (api) => {
    const boats = await api.customKind();
    const text = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"most":9223372036854775807,"least":-9223372036854775808,"odd":9007199254740993}}`;
    const created = await api.post(boats.path(), text);
    expect(created.status).toBe(201);
    for (const { text: answer } of [
      created,
      await api.get(`${boats.path()}/a`),
      await api.get(boats.path()),
    ]) {
      expect(answer).toContain('"most":9223372036854775807');
      expect(answer).toContain('"least":-9223372036854775808');
      expect(answer).toContain('"odd":9007199254740993');
    }
    const patched = await api.patch(`${boats.path()}/a`, "merge", '{"spec":{"odd":9007199254740995}}');
    expect(patched.text).toContain('"odd":9007199254740995');
    expect(patched.text).toContain('"most":9223372036854775807');
  }),

  behaviour("an integer beyond 64 bits becomes a float", async (api) => {
    const boats = await api.customKind();
    const text = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"huge":18446744073709551616}}`;
    const answer = await api.post(boats.path(), text);
    expect([answer.status, answer.text]).toEqual([
      201,
      expect.stringContaining('"huge":18446744073709552000'),
    ]);
  }),

  behaviour("a whole number written as a float is an integer to a schema", async (api) => {
    const properties = { spec: { type: "object", properties: { sails: { type: "integer" } } } };
    const boats = await api.customKind({ properties });
    const text = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"sails":3.0}}`;
    const answer = await api.post(boats.path(), text);
    expect([answer.status, answer.body.spec]).toEqual([201, { sails: 3 }]);
  }),

  behaviour("floats are kept as floats", async (api) => {
    const boats = await api.customKind();
    const { spec } = await api.create(
      boats.path(),
      boats.object("a", { spec: { a: 0.1, b: 1e21, c: -2.5 } }),
    );
    expect(spec).toEqual({ a: 0.1, b: 1e21, c: -2.5 });
  }),

  behaviour("a float where a built-in kind has an integer is refused", async (api) => {
    const answer = await api.post(`/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`, {
      metadata: { name: "a" },
      spec: { leaseDurationSeconds: 1.5 },
    });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message:
        'Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    });
  }),

  behaviour("nesting ten thousand deep is refused", async (api) => {
    const boats = await api.customKind();
    const deep = "[".repeat(10_001) + "]".repeat(10_001);
    const text = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"deep":${deep}}}`;
    const answer = await api.post(boats.path(), text);
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toContain("exceeded max depth");
  }),

  behaviour("a broken escape in a path is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps/%zz"));
    expect(answer.status).toBe(400);
  }),

  behaviour("an escaped slash is a slash", async (api) => {
    expectRefusal(await api.get(api.inNamespace("configmaps/a%2fb")), NOT_FOUND);
  }),

  behaviour("a zero byte in a name finds nothing", async (api) => {
    expectRefusal(await api.get(api.inNamespace("configmaps/a%00b")), {
      code: 404,
      reason: "NotFound",
      message: String.raw`configmaps "a\x00b" not found`,
      details: { name: "a\u0000b", kind: "configmaps" },
    });
  }),

  behaviour("a name of two dots is refused", async (api) => {
    expectRefusal(await api.get(api.inNamespace("configmaps/..")), {
      code: 400,
      reason: "BadRequest",
      message: "Name parameter invalid: \"..\": may not be '..'",
    });
  }),

  behaviour("an empty segment of a path is nothing", async (api) => {
    expectRefusal(await api.get(`/api/v1/namespaces/${api.namespace}//configmaps`), NOT_FOUND);
  }),

  behaviour("a slash at the end makes no difference to a list", async (api) => {
    const { status, body: list } = await api.get(api.inNamespace("configmaps/"));
    expect([status, list.kind]).toEqual([200, "ConfigMapList"]);
  }),

  behaviour("a subresource that does not exist is not found", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    expectRefusal(await api.get(api.inNamespace("configmaps/a/nonsense")), NOT_FOUND);
  }),

  behaviour("unknown query parameters are ignored", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const query = { nonsense: "1", __proto__: "x", labelselector: "a=b" };
    expect((await api.get(api.inNamespace("configmaps"), { query })).body.items).toHaveLength(1);
  }),

  behaviour("methods that do not exist are not allowed", async (api) => {
    for (const method of ["OPTIONS", "TRACE", "PROPFIND"])
      expectRefusal(await api.call({ method, path: api.inNamespace("configmaps") }), NOT_ALLOWED);
  }),

  behaviour("HEAD is not allowed on objects", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.call({ method: "HEAD", path: api.inNamespace("configmaps/a") });
    expect([answer.status, answer.text]).toEqual([405, ""]);
  }),

  behaviour("methods that a resource lacks are not allowed", async (api) => {
    expectRefusal(await api.put(api.inNamespace("configmaps"), {}), NOT_ALLOWED);
    expectRefusal(await api.post(api.inNamespace("configmaps/a"), {}), NOT_ALLOWED);
    expectRefusal(await api.patch(api.inNamespace("configmaps"), "merge", {}), NOT_ALLOWED);
    expectRefusal(await api.delete("/api/v1/namespaces"), NOT_ALLOWED);
  }),

  behaviour("timeoutSeconds that is no number is refused", async (api) => {
    const query = { timeoutSeconds: "x" };
    expectRefusal(await api.get(api.inNamespace("configmaps"), { query }), {
      code: 400,
      reason: "BadRequest",
      message: 'strconv.ParseInt: parsing "x": invalid syntax',
    });
  }),

  behaviour("any word after watch but false means a watch", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const watch = await api.watch(api.inNamespace("configmaps"), { watch: "nonsense" });
    expect(await watch.step()).toBe("ADDED a");
    const { body: list } = await api.get(api.inNamespace("configmaps"), { query: { watch: "false" } });
    expect(list.kind).toBe("ConfigMapList");
  }),

  behaviour("text beyond ASCII comes back as it was", async (api) => {
    const text = 'zwölf 十二 🛥 \u0000\u001f"\\ \u2028 <&>';
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { text },
    });
    expect(created.data).toEqual({ text });
  }),
];
