import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import type { Api } from "../kit.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const NEW_HEADERS = { accept: `${PROTOBUF},application/json`, "content-type": PROTOBUF };
const JSON_ANSWER = { accept: "application/json", "content-type": PROTOBUF };
const CREATE = { fieldManager: "kubectl-create", fieldValidation: "Strict" };
const TABLES =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

/** What kubectl 1.35 sends, recorded. The names in these bytes are `recorded`. */
const RECORDED = {
  namespace: "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEiAKGAoIcmVjb3JkZWQSABoAIgAqADIAOABCABIAGgIKABoAIgA=",
  configMap:
    "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEjAKIAoIcmVjb3JkZWQSABoIcmVjb3JkZWQiACoAMgA4AEIAEgwKA2tleRIFdmFsdWUaACIA",
  secret: "azhzAAoMCgJ2MRIGU2VjcmV0EiUKGQoBcxIAGghyZWNvcmRlZCIAKgAyADgAQgASBgoBYRIBYhoAGgAiAA==",
  accessReview:
    "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSQAoQCgASABoAIgAqADIAOABCABIiCiAKCHJlY29yZGVkEgZjcmVhdGUaACIAKgRwb2RzMgA6ABoICAASABoAIAAaACIA",
  selfReview:
    "azhzAAotChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESEVNlbGZTdWJqZWN0UmV2aWV3EhoKEAoAEgAaACIAKgAyADgAQgASBgoECgASABoAIgA=",
  tokenRequest:
    "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIaChAKABIAGgAiACoAMgA4AEIAEgAaBAoAEgAaACIA",
} as const;

const bytes = (recorded: keyof typeof RECORDED): Buffer => Buffer.from(RECORDED[recorded], "base64");

async function recordedNamespace(api: Api): Promise<void> {
  await api.post("/api/v1/namespaces", { metadata: { name: "recorded" } });
}

/** The shapes of requests that kubectl sends, old and new. */
export const kubectlBehaviours: readonly Behaviour[] = [
  behaviour("kubectl 1.32 and later create a namespace in protobuf", async (api) => {
    // Another name of the same length leaves the rest of the recorded bytes valid.
    const body = Buffer.from(bytes("namespace").toString("latin1").replace("recorded", "newcomer"), "latin1");
    const answer = await api.post("/api/v1/namespaces", body, { query: CREATE, headers: JSON_ANSWER });
    expect([answer.status, answer.body.kind, answer.body.metadata.name]).toEqual([
      201,
      "Namespace",
      "newcomer",
    ]);
  }),

  behaviour("kubectl 1.32 and later create config maps and secrets in protobuf", async (api) => {
    await recordedNamespace(api);
    const path = "/api/v1/namespaces/recorded";
    const map = await api.post(`${path}/configmaps`, bytes("configMap"), {
      query: CREATE,
      headers: JSON_ANSWER,
    });
    expect([map.status, map.body.metadata.name, map.body.data]).toEqual([201, "recorded", { key: "value" }]);
    const secret = await api.post(`${path}/secrets`, bytes("secret"), {
      query: CREATE,
      headers: JSON_ANSWER,
    });
    expect([secret.status, secret.body.metadata.name, secret.body.data]).toEqual([201, "s", { a: "Yg==" }]);
  }),

  behaviour("an answer to kubectl 1.32 and later is in a form that it takes", async (api) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const answer = await api.post(path, bytes("accessReview"), { headers: NEW_HEADERS });
    expect(answer.status).toBe(201);
    expect(NEW_HEADERS.accept.split(",")).toContain(answer.headers["content-type"]);
  }),

  behaviour("kubectl auth can-i asks in protobuf", async (api) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = async (token?: string) =>
      await api.post(path, bytes("accessReview"), { headers: JSON_ANSWER, ...(token && { token }) });
    const answer = await review();
    expect(answer.body).toMatchObject({
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { namespace: "recorded", verb: "create", resource: "pods" } },
      status: { allowed: true },
    });
    expect((await review(api.user().token)).body.status).toMatchObject({ allowed: false });
  }),

  behaviour("kubectl auth whoami asks in protobuf", async (api) => {
    const user = api.user();
    const { status, body } = await api.post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      bytes("selfReview"),
      { headers: JSON_ANSWER, token: user.token },
    );
    expect(status).toBe(201);
    expect(body.status).toMatchObject({ userInfo: { username: user.name } });
  }),

  behaviour("kubectl create token asks in protobuf", async (api) => {
    await api.create(api.inNamespace("serviceaccounts"), { metadata: { name: "sailor" } });
    const path = api.inNamespace("serviceaccounts/sailor/token");
    const { status, body } = await api.post(path, bytes("tokenRequest"), { headers: JSON_ANSWER });
    expect([status, body.spec["expirationSeconds"]]).toEqual([201, 3600]);
    expect((body.status as { token: string }).token.split(".")).toHaveLength(3);
  }),

  behaviour("protobuf that is cut off is refused", async (api) => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const answer = await api.post(path, bytes("accessReview").subarray(0, 40), { headers: JSON_ANSWER });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  }),

  behaviour("protobuf without its four first bytes is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), bytes("configMap").subarray(4), {
      headers: JSON_ANSWER,
    });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  }),

  behaviour("kubectl 1.27 to 1.31 create in JSON and take JSON", async (api) => {
    const answer = await api.post(
      api.inNamespace("configmaps"),
      {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: "a", creationTimestamp: null },
        data: { key: "value" },
      },
      { query: CREATE, headers: { accept: "application/json, */*", "content-type": "application/json" } },
    );
    expect([answer.status, answer.headers["content-type"]]).toEqual([201, "application/json"]);
  }),

  behaviour("kubectl get asks for tables of two versions and for JSON", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { body } = await api.get(api.inNamespace("configmaps"), {
      headers: { accept: TABLES },
      query: { limit: "500" },
    });
    expect([body.kind, body.apiVersion]).toEqual(["Table", "meta.k8s.io/v1"]);
  }),

  behaviour("kubectl delete sends its options as JSON", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.delete(api.inNamespace("configmaps/a"), '{"propagationPolicy":"Background"}\n');
    expect([answer.status, answer.body.status]).toEqual([200, "Success"]);
  }),

  behaviour("kubectl apply of old keeps what it applied in an annotation", async (api) => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"a":"1"}}\n' };
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", annotations },
      data: { a: "1" },
    });
    const patch = {
      data: { a: null, b: "2" },
      metadata: {
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"b":"2"}}\n' },
      },
    };
    const answer = await api.patch(api.inNamespace("configmaps/a"), "strategic", patch, {
      query: { fieldManager: "kubectl-client-side-apply", fieldValidation: "Strict" },
    });
    expect([answer.status, answer.body.data]).toEqual([200, { b: "2" }]);
  }),

  behaviour("a body in YAML is read as one in JSON", async (api) => {
    const body = "# a comment\nmetadata:\n  name: a\ndata:\n  text: |\n    two\n    lines\n";
    const headers = { "content-type": "application/yaml" };
    const answer = await api.post(api.inNamespace("configmaps"), body, { headers });
    expect([answer.status, answer.body.data]).toEqual([201, { text: "two\nlines\n" }]);
  }),

  behaviour("YAML that is none is refused", async (api) => {
    const headers = { "content-type": "application/yaml" };
    const answer = await api.post(api.inNamespace("configmaps"), "a: [1,\nb: }", { headers });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  }),
];
