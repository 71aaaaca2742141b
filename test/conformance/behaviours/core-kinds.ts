import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal, namesOf } from "../body.ts";
import type { Api } from "../kit.ts";

const leases = (api: Api): string => `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const IMMUTABLE = "Forbidden: field is immutable when `immutable` is set";

/** What is special about Secrets, ConfigMaps, Leases, Events, Nodes and service accounts. */
export const coreKindBehaviours: readonly Behaviour[] = [
  behaviour("a secret turns stringData into data and forgets it", async (api) => {
    const created = await api.create(api.inNamespace("secrets"), {
      metadata: { name: "a" },
      data: { a: "MQ==", b: "MQ==" },
      stringData: { a: "zwölf" },
    });
    expect(created).toMatchObject({
      type: "Opaque",
      data: { a: Buffer.from("zwölf").toString("base64"), b: "MQ==" },
    });
    expect(created).not.toHaveProperty("stringData");
  }),

  behaviour("a secret whose data is not base64 is refused", async (api) => {
    expectRefusal(
      await api.post(api.inNamespace("secrets"), { metadata: { name: "a" }, data: { a: "not base64!" } }),
      {
        code: 400,
        reason: "BadRequest",
        message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 3',
      },
    );
  }),

  behaviour("an immutable secret keeps its data and stays immutable", async (api) => {
    const path = api.inNamespace("secrets/a");
    await api.create(api.inNamespace("secrets"), {
      metadata: { name: "a" },
      immutable: true,
      data: { a: "MQ==" },
    });
    expectRefusal(await api.patch(path, "merge", { data: { a: "Mg==" } }), {
      code: 422,
      reason: "Invalid",
      message: `Secret "a" is invalid: data: ${IMMUTABLE}`,
      details: {
        name: "a",
        kind: "Secret",
        causes: [{ reason: "FieldValueForbidden", message: IMMUTABLE, field: "data" }],
      },
    });
    const mutable = await api.patch(path, "merge", { immutable: false });
    expect([mutable.status, mutable.body.message]).toEqual([
      422,
      `Secret "a" is invalid: immutable: ${IMMUTABLE}`,
    ]);
    expect((await api.patch(path, "merge", { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await api.delete(path)).status).toBe(200);
  }),

  behaviour("the type of a secret may not change", async (api) => {
    await api.create(api.inNamespace("secrets"), { metadata: { name: "a" } });
    const { status, body } = await api.patch(api.inNamespace("secrets/a"), "merge", { type: "other" });
    expect([status, body.message]).toEqual([
      422,
      'Secret "a" is invalid: type: Invalid value: "other": field is immutable',
    ]);
  }),

  behaviour("a TLS secret needs its two keys", async (api) => {
    const answer = await api.post(api.inNamespace("secrets"), {
      metadata: { name: "a" },
      type: "kubernetes.io/tls",
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'Secret "a" is invalid: [data[tls.crt]: Required value, data[tls.key]: Required value]',
    ]);
  }),

  behaviour("secrets can be selected by type", async (api) => {
    await api.create(api.inNamespace("secrets"), { metadata: { name: "a" }, type: "example.com/a" });
    await api.create(api.inNamespace("secrets"), { metadata: { name: "b" } });
    const query = { fieldSelector: "type=example.com/a" };
    expect(namesOf((await api.get(api.inNamespace("secrets"), { query })).body)).toEqual(["a"]);
  }),

  behaviour("a key of a config map that is no key is refused with the rule", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { "a b": "" },
    });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message: `ConfigMap "a" is invalid: data[a b]: Invalid value: "a b": ${KEY_RULE}`,
      details: {
        name: "a",
        kind: "ConfigMap",
        causes: [
          { reason: "FieldValueInvalid", message: `Invalid value: "a b": ${KEY_RULE}`, field: "data[a b]" },
        ],
      },
    });
  }),

  behaviour("a key of a config map is either text or binary", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "1" },
      binaryData: { a: "MQ==" },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'ConfigMap "a" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ]);
  }),

  behaviour("an immutable config map keeps its data", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      immutable: true,
      data: { a: "1" },
    });
    const { status, body } = await api.patch(api.inNamespace("configmaps/a"), "merge", { data: { a: "2" } });
    expect([status, body.message]).toEqual([422, `ConfigMap "a" is invalid: data: ${IMMUTABLE}`]);
  }),

  behaviour("data of a config map must be text", async (api) => {
    expectRefusal(
      await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: 1 } }),
      {
        code: 400,
        reason: "BadRequest",
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      },
    );
  }),

  behaviour("a config map above its size limit is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "x".repeat(1024 * 1024 + 1) },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes',
    ]);
  }),

  behaviour("the times of a lease have six digits", async (api) => {
    const renewTime = "2026-01-01T00:00:00.123456Z";
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime, acquireTime: renewTime };
    const created = await api.create(leases(api), { metadata: { name: "a" }, spec });
    expect(created.spec).toEqual(spec);
  }),

  behaviour("a lease without a duration above zero is refused", async (api) => {
    const answer = await api.post(leases(api), {
      metadata: { name: "a" },
      spec: { leaseDurationSeconds: 0 },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'Lease.coordination.k8s.io "a" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  }),

  behaviour("a lease is taken by one of two who try", async (api) => {
    const created = await api.create(leases(api), { metadata: { name: "a" }, spec: {} });
    const take = (holderIdentity: string) =>
      api.put(`${leases(api)}/a`, { ...created, spec: { holderIdentity } });
    const answers = await Promise.all([take("one"), take("two")]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  }),

  behaviour("a time of a lease without its fraction is refused", async (api) => {
    const answer = await api.post(leases(api), {
      metadata: { name: "a" },
      spec: { renewTime: "2026-01-01T00:00:00Z" },
    });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toMatch(
      /^Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z"/,
    );
  }),

  behaviour("an event must be in the namespace of what it is about", async (api) => {
    const answer = await api.post(api.inNamespace("events"), {
      metadata: { name: "a" },
      involvedObject: { kind: "Pod", name: "a", namespace: "other" },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'Event "a" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  }),

  behaviour("events can be selected by what they are about", async (api) => {
    for (const name of ["a", "b"])
      await api.create(api.inNamespace("events"), {
        metadata: { name },
        involvedObject: { kind: "Pod", name, namespace: api.namespace },
        reason: "Started",
        type: "Normal",
      });
    const query = { fieldSelector: "involvedObject.kind=Pod,involvedObject.name=b,type=Normal" };
    expect(namesOf((await api.get(api.inNamespace("events"), { query })).body)).toEqual(["b"]);
  }),

  behaviour("an event is the same in both of its groups", async (api) => {
    await api.create(api.inNamespace("events"), {
      metadata: { name: "a" },
      involvedObject: { kind: "Pod", name: "a", namespace: api.namespace },
      reason: "Started",
      message: "It goes.",
      count: 2,
      type: "Normal",
    });
    const { body } = await api.get(`/apis/events.k8s.io/v1/namespaces/${api.namespace}/events/a`);
    expect(body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      regarding: { kind: "Pod", name: "a" },
      reason: "Started",
      note: "It goes.",
      deprecatedCount: 2,
    });
  }),

  behaviour("a field that events cannot be selected by is refused", async (api) => {
    const query = { fieldSelector: "nonsense.name=a" };
    expectRefusal(await api.get(api.inNamespace("events"), { query }), {
      code: 400,
      reason: "BadRequest",
      message: "field label not supported: nonsense.name",
    });
  }),

  behaviour("the status of a node is changed by its subresource alone", async (api) => {
    const name = api.unique("node");
    await api.create("/api/v1/nodes", { metadata: { name }, spec: { providerID: "azure:///a" } });
    const conditions = [{ type: "Ready", status: "True", reason: "Sailing" }];
    const path = `/api/v1/nodes/${name}`;
    await api.patch(path, "merge", { status: { conditions } });
    expect((await api.get(path)).body.status).not.toMatchObject({ conditions });
    await api.patch(`${path}/status`, "merge", { status: { conditions } });
    expect((await api.get(path)).body.status).toMatchObject({ conditions });
  }),

  behaviour("the providerID of a node may be set once", async (api) => {
    const name = api.unique("node");
    await api.create("/api/v1/nodes", { metadata: { name } });
    const set = (providerID: string) => api.patch(`/api/v1/nodes/${name}`, "merge", { spec: { providerID } });
    expect((await set("azure:///a")).status).toBe(200);
    const again = await set("azure:///b");
    expect([again.status, again.body.reason]).toEqual([422, "Invalid"]);
    expect(again.body.message).toContain(
      `spec.providerID: Forbidden: node updates may not change providerID except from "" to valid`,
    );
  }),

  behaviour("the scale of a deployment is its replicas", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    const labels = { app: "boat" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "x" }] } };
    await api.create(path, {
      metadata: { name: "a" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    const { body } = await api.get(`${path}/a/scale`);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=boat" },
    });
    await api.patch(`${path}/a/scale`, "merge", { spec: { replicas: 5 } });
    expect((await api.get(`${path}/a`)).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 2 },
    });
  }),

  behaviour("a service account token says whose it is and opens the door", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const { status, body } = await api.post(api.inNamespace("serviceaccounts/sailor/token"), {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 1200 },
    });
    expect([status, body.kind, body.spec["expirationSeconds"]]).toEqual([201, "TokenRequest", 1200]);
    const { token, expirationTimestamp } = body.status as { token: string; expirationTimestamp: string };
    expect(Date.parse(expirationTimestamp)).toBe(Date.parse(body.metadata.creationTimestamp) + 1_200_000);
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as object;
    expect(claims).toMatchObject({
      sub: `system:serviceaccount:${api.namespace}:sailor`,
      "kubernetes.io": { namespace: api.namespace, serviceaccount: { name: "sailor" } },
    });
    const me = await api.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { token });
    expect(me.body.status).toMatchObject({
      userInfo: {
        username: `system:serviceaccount:${api.namespace}:sailor`,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${api.namespace}`, "system:authenticated"],
      },
    });
  }),

  behaviour("a token of a service account that is gone opens nothing", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const { body } = await api.post(api.inNamespace("serviceaccounts/sailor/token"), {});
    const { token } = body.status as { token: string };
    expect((await api.get("/api", { token })).status).toBe(200);
    await api.delete(api.inNamespace("serviceaccounts/sailor"));
    await api.eventually(async () => expect((await api.get("/api", { token })).status).toBe(401));
  }),

  behaviour("a token for another audience does not open this door", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const { status, body } = await api.post(api.inNamespace("serviceaccounts/sailor/token"), {
      spec: { audiences: ["harbour"] },
    });
    expect([status, body.spec["audiences"]]).toEqual([201, ["harbour"]]);
    const { token } = body.status as { token: string };
    expect((await api.get("/api", { token })).status).toBe(401);
    const review = await api.post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token, audiences: ["harbour", "other"] },
    });
    expect(review.body.status).toMatchObject({
      authenticated: true,
      audiences: ["harbour"],
      user: { username: `system:serviceaccount:${api.namespace}:sailor` },
    });
  }),

  behaviour("a token whose signature was changed opens nothing", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const { body } = await api.post(api.inNamespace("serviceaccounts/sailor/token"), {});
    const [head = "", claims = "", signature = ""] = (body.status as { token: string }).token.split(".");
    const forged = JSON.parse(Buffer.from(claims, "base64url").toString()) as object;
    const other = Buffer.from(
      JSON.stringify({ ...forged, sub: "system:serviceaccount:kube-system:admin" }),
    ).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    for (const token of [`${head}.${other}.${signature}`, `${none}.${claims}.`, `${head}.${claims}.`])
      expect((await api.get("/api", { token })).status).toBe(401);
  }),

  behaviour("a token for less than ten minutes is refused", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const answer = await api.post(api.inNamespace("serviceaccounts/sailor/token"), {
      spec: { expirationSeconds: 60 },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ]);
  }),

  behaviour("there is no token for a service account that is not there", async (api) => {
    expectRefusal(await api.post(api.inNamespace("serviceaccounts/missing/token"), {}), {
      code: 404,
      reason: "NotFound",
      message: 'serviceaccounts "missing" not found',
      details: { name: "missing", kind: "serviceaccounts" },
    });
  }),
];
