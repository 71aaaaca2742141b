import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";

const RFC_1123 =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** What a POST to a collection does. */
export const createBehaviours: readonly Behaviour[] = [
  behaviour("a create answers 201 with the object and what the server has added to it", async (api) => {
    const body = { metadata: { name: "a" }, data: { key: "value" } };
    const answer = await api.post(api.inNamespace("configmaps"), body);
    expect([answer.status, answer.headers["content-type"]]).toEqual([201, "application/json"]);
    expect(answer.body).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "value" } });
    expect(answer.body.metadata).toMatchObject({
      name: "a",
      namespace: api.namespace,
      uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown,
      resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) as unknown,
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
    });
  }),

  behaviour("a create ignores what only the server may say in metadata", async (api) => {
    const metadata = {
      name: "a",
      uid: "11111111-2222-3333-4444-555555555555",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      generation: 17,
      selfLink: "/somewhere",
    };
    const { metadata: stored } = await api.create(api.inNamespace("configmaps"), { metadata });
    expect(stored.uid).not.toBe(metadata.uid);
    expect(stored.creationTimestamp).not.toBe(metadata.creationTimestamp);
    expect([stored.deletionTimestamp, stored.deletionGracePeriodSeconds]).toEqual([undefined, undefined]);
  }),

  behaviour("a new custom object has generation 1 with any input", async (api) => {
    const boats = await api.customKind();
    const { metadata } = await api.create(boats.path(), {
      ...boats.object("a"),
      metadata: { name: "a", generation: 17 },
    });
    expect(metadata.generation).toBe(1);
  }),

  behaviour("generateName makes a name of the prefix and five characters", async (api) => {
    const path = api.inNamespace("configmaps");
    const one = await api.create(path, { metadata: { generateName: "boat-" } });
    const two = await api.create(path, { metadata: { generateName: "boat-" } });
    for (const { metadata } of [one, two]) {
      expect(metadata.name).toMatch(/^boat-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(metadata.generateName).toBe("boat-");
    }
    expect(one.metadata.name).not.toBe(two.metadata.name);
  }),

  behaviour("a long generateName is cut so that the name has 63 characters", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), {
      metadata: { generateName: "b".repeat(100) },
    });
    expect(metadata.name).toHaveLength(63);
    expect(metadata.generateName).toHaveLength(100);
  }),

  behaviour("a name wins over generateName", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "mine", generateName: "boat-" },
    });
    expect([metadata.name, metadata.generateName]).toEqual(["mine", "boat-"]);
  }),

  behaviour("a create without name and generateName is refused", async (api) => {
    expectRefusal(await api.post(api.inNamespace("configmaps"), { metadata: {} }), {
      code: 422,
      reason: "Invalid",
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      details: {
        kind: "ConfigMap",
        causes: [
          {
            reason: "FieldValueRequired",
            message: "Required value: name or generateName is required",
            field: "metadata.name",
          },
        ],
      },
    });
  }),

  behaviour("a name with capitals is refused with the rule for names", async (api) => {
    expectRefusal(await api.post(api.inNamespace("configmaps"), { metadata: { name: "Big_Boat" } }), {
      code: 422,
      reason: "Invalid",
      message: `ConfigMap "Big_Boat" is invalid: metadata.name: Invalid value: "Big_Boat": ${RFC_1123}`,
      details: {
        name: "Big_Boat",
        kind: "ConfigMap",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: `Invalid value: "Big_Boat": ${RFC_1123}`,
            field: "metadata.name",
          },
        ],
      },
    });
  }),

  behaviour("a name longer than 253 characters is refused", async (api) => {
    const name = "b".repeat(254);
    expectRefusal(await api.post(api.inNamespace("configmaps"), { metadata: { name } }), {
      code: 422,
      reason: "Invalid",
      message: `ConfigMap "${name}" is invalid: metadata.name: Invalid value: "${name}": must be no more than 253 characters`,
      details: {
        name,
        kind: "ConfigMap",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: `Invalid value: "${name}": must be no more than 253 characters`,
            field: "metadata.name",
          },
        ],
      },
    });
  }),

  behaviour("the name of a namespace is a DNS label", async (api) => {
    const answer = await api.post("/api/v1/namespaces", { metadata: { name: "with.dot" } });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message: /^Namespace "with\.dot" is invalid: metadata\.name: Invalid value: "with\.dot": /,
      details: {
        name: "with.dot",
        kind: "Namespace",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: expect.stringContaining("must not contain dots") as unknown,
            field: "metadata.name",
          },
        ],
      },
    });
  }),

  behaviour("a second create of the same name is refused as a conflict", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    expectRefusal(await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" } }), {
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "a" already exists',
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("a second create of a custom object names its group", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    expectRefusal(await api.post(boats.path(), boats.object("a")), {
      code: 409,
      reason: "AlreadyExists",
      message: `boats.${boats.group} "a" already exists`,
      details: { name: "a", group: boats.group, kind: "boats" },
    });
  }),

  behaviour("a create with a resourceVersion is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a", resourceVersion: "1" },
    });
    expectRefusal(answer, {
      code: 500,
      message: "resourceVersion should not be set on objects to be created",
    });
  }),

  behaviour("a create in a namespace that is not there is refused", async (api) => {
    expectRefusal(await api.post("/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } }), {
      code: 404,
      reason: "NotFound",
      message: 'namespaces "nowhere" not found',
      details: { name: "nowhere", kind: "namespaces" },
    });
  }),

  behaviour("a create in a namespace that is being deleted is refused with the cause", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/b"] },
    });
    await api.delete(`/api/v1/namespaces/${api.namespace}`);
    const message = `configmaps "b" is forbidden: unable to create new content in namespace ${api.namespace} because it is being terminated`;
    await api.eventually(async () => {
      const answer = await api.post(api.inNamespace("configmaps"), { metadata: { name: "b" } });
      expectRefusal(answer, {
        code: 403,
        reason: "Forbidden",
        message,
        details: {
          name: "b",
          kind: "configmaps",
          causes: [
            {
              reason: "NamespaceTerminating",
              message: `namespace ${api.namespace} is being terminated`,
              field: "metadata.namespace",
            },
          ],
        },
      });
    });
  }),

  behaviour("a dry run validates and answers as a create but stores nothing", async (api) => {
    const path = api.inNamespace("configmaps");
    const answer = await api.post(path, { metadata: { name: "a" } }, { query: { dryRun: "All" } });
    expect([answer.status, answer.body.metadata.name]).toEqual([201, "a"]);
    expect(answer.body.metadata.uid).toMatch(/-/);
    expect(answer.body.metadata.resourceVersion).toBeUndefined();
    expect((await api.get(`${path}/a`)).status).toBe(404);
    const wrong = await api.post(path, { metadata: { name: "A" } }, { query: { dryRun: "All" } });
    expect(wrong.status).toBe(422);
  }),

  behaviour("a dry run of a name that exists is refused as a create would be", async (api) => {
    const path = api.inNamespace("configmaps");
    await api.create(path, { metadata: { name: "a" } });
    const answer = await api.post(path, { metadata: { name: "a" } }, { query: { dryRun: "All" } });
    expect([answer.status, answer.body.reason]).toEqual([409, "AlreadyExists"]);
  }),

  behaviour("a dryRun other than All is refused", async (api) => {
    const answer = await api.post(
      api.inNamespace("configmaps"),
      { metadata: { name: "a" } },
      { query: { dryRun: "Some" } },
    );
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message:
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: {
        group: "meta.k8s.io",
        kind: "CreateOptions",
        causes: [
          {
            reason: "FieldValueNotSupported",
            message: 'Unsupported value: ["Some"]: supported values: "All"',
            field: "dryRun",
          },
        ],
      },
    });
  }),

  behaviour("a body of another kind is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a" },
    });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message:
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    });
  }),

  behaviour("a body of another version of a custom group is refused", async (api) => {
    const boats = await api.customKind();
    const body = { ...boats.object("a"), apiVersion: `${boats.group}/v2` };
    expectRefusal(await api.post(boats.path(), body), {
      code: 400,
      reason: "BadRequest",
      message: `the API version in the data (${boats.group}/v2) does not match the expected API version (${boats.group}/v1)`,
    });
  }),

  behaviour("a custom object must say its kind", async (api) => {
    const boats = await api.customKind();
    expectRefusal(await api.post(boats.path(), { metadata: { name: "a" } }), {
      code: 400,
      reason: "BadRequest",
      message: `the object provided is unrecognized (must be of type Boat): Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`,
    });
  }),

  behaviour("a namespace in the body other than that of the path is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a", namespace: "default" },
    });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message: "the namespace of the provided object does not match the namespace sent on the request",
    });
  }),

  behaviour("a create of a namespaced object without a namespace in the path is refused", async (api) => {
    const answer = await api.post("/api/v1/configmaps", {
      metadata: { name: "a", namespace: api.namespace },
    });
    expectRefusal(answer, {
      code: 405,
      reason: "MethodNotAllowed",
      message: "the server does not allow this method on the requested resource",
      details: {},
    });
  }),

  behaviour("labels and annotations are kept as they are", async (api) => {
    const labels = { "example.com/role": "deck-hand", empty: "" };
    const annotations = { "example.com/note": "any text at all: ü 十二 \n" };
    const { metadata } = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", labels, annotations },
    });
    expect([metadata.labels, metadata.annotations]).toEqual([labels, annotations]);
  }),

  behaviour("a label value that is no label value is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a", labels: { role: "with space" } },
    });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message:
        /^ConfigMap "a" is invalid: metadata\.labels: Invalid value: "with space": a valid label must be /,
      details: {
        name: "a",
        kind: "ConfigMap",
        causes: [
          { reason: "FieldValueInvalid", message: expect.any(String) as unknown, field: "metadata.labels" },
        ],
      },
    });
  }),

  behaviour("a finalizer without a domain is refused on a custom object", async (api) => {
    const boats = await api.customKind();
    const answer = await api.post(boats.path(), {
      ...boats.object("a"),
      metadata: { name: "a", finalizers: ["not a name"] },
    });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(`Boat.${boats.group} "a" is invalid: metadata.finalizers`);
  }),

  behaviour("an owner reference without a uid is refused", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "b", uid: "" }] },
    });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message: 'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      details: {
        name: "a",
        kind: "ConfigMap",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: 'Invalid value: "": must not be empty',
            field: "metadata.ownerReferences.uid",
          },
        ],
      },
    });
  }),

  behaviour("two controllers of one object are refused", async (api) => {
    const owner = (name: string) => ({ apiVersion: "v1", kind: "Secret", name, uid: name, controller: true });
    const answer = await api.post(api.inNamespace("configmaps"), {
      metadata: { name: "a", ownerReferences: [owner("x"), owner("y")] },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for Secret/x and Secret/y',
    );
  }),
];
