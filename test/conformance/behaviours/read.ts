import { ConfigMap } from "@capstan/api";
import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal, namesOf } from "../body.ts";
import type { Api } from "../kit.ts";

async function createMany(api: Api, names: readonly string[]): Promise<void> {
  for (const name of names) await api.create(api.inNamespace("configmaps"), { metadata: { name } });
}

/** What a GET of an object or a collection does. */
export const readBehaviours: readonly Behaviour[] = [
  behaviour("a get answers with the object as it was stored", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "b" },
    });
    const answer = await api.get(api.inNamespace("configmaps/a"));
    expect([answer.status, answer.body]).toEqual([200, created]);
  }),

  behaviour("a get of what is not there answers 404 with its name", async (api) => {
    expectRefusal(await api.get(api.inNamespace("configmaps/a")), {
      code: 404,
      reason: "NotFound",
      message: 'configmaps "a" not found',
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("a get of a custom object that is not there names its group", async (api) => {
    const boats = await api.customKind();
    expectRefusal(await api.get(`${boats.path()}/a`), {
      code: 404,
      reason: "NotFound",
      message: `boats.${boats.group} "a" not found`,
      details: { name: "a", group: boats.group, kind: "boats" },
    });
  }),

  behaviour("a kind that is not served is a page that is not found", async (api) => {
    const core = await api.get(api.inNamespace("unicorns"));
    expectRefusal(core, {
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource",
      details: {},
    });
    const unknown = await api.get("/apis/unknown.example.com/v1/unicorns");
    expect([unknown.status, unknown.headers["content-type"], unknown.text]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "404 page not found\n",
    ]);
  }),

  behaviour("a get at a resourceVersion of the future is refused with the current one", async (api) => {
    await createMany(api, ["a"]);
    const answer = await api.get(api.inNamespace("configmaps/a"), {
      query: { resourceVersion: "999999999" },
    });
    expectRefusal(answer, {
      code: 504,
      reason: "Timeout",
      message: /^Timeout: Too large resource version: 999999999, current: \d+$/,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      },
    });
  }),

  behaviour("a list is ordered by name and says its kind and version", async (api) => {
    await createMany(api, ["c", "a", "b"]);
    const { status, body } = await api.get(api.inNamespace("configmaps"), {
      query: { fieldSelector: "metadata.name!=kube-root-ca.crt" },
    });
    expect([status, body.apiVersion, body.kind, namesOf(body)]).toEqual([
      200,
      "v1",
      "ConfigMapList",
      ["a", "b", "c"],
    ]);
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
  }),

  behaviour("items of a list of built-in kinds say neither kind nor version", async (api) => {
    await createMany(api, ["a"]);
    const { body } = await api.get(api.inNamespace("configmaps"));
    expect(body.items.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual([[undefined, undefined]]);
  }),

  behaviour("items of a list of custom kinds say kind and version", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    const { body } = await api.get(boats.path());
    expect([body.kind, body.apiVersion]).toEqual(["BoatList", boats.apiVersion]);
    expect(body.items.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual([
      ["Boat", boats.apiVersion],
    ]);
  }),

  behaviour("an empty list has items, and they are none", async (api) => {
    const { body } = await api.get(api.inNamespace("configmaps"));
    expect(body).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: expect.any(String) as unknown },
      items: [],
    });
  }),

  behaviour("a list in a namespace that is not there is empty", async (api) => {
    const { status, body } = await api.get("/api/v1/namespaces/nowhere/configmaps");
    expect([status, body.items]).toEqual([200, []]);
  }),

  behaviour("a list over all namespaces is ordered by namespace, then name", async (api) => {
    const label = api.unique("list");
    const [one, two] = [api.unique("list"), api.unique("list")].sort();
    for (const name of [two, one]) await api.create("/api/v1/namespaces", { metadata: { name } });
    for (const namespace of [two, one])
      for (const name of ["b", "a"])
        await api.create(`/api/v1/namespaces/${namespace}/configmaps`, {
          metadata: { name, labels: { label } },
        });
    const { body } = await api.get("/api/v1/configmaps", { query: { labelSelector: `label=${label}` } });
    expect(body.items.map(({ metadata }) => [metadata.namespace, metadata.name])).toEqual([
      [one, "a"],
      [one, "b"],
      [two, "a"],
      [two, "b"],
    ]);
  }),

  behaviour("the version of a list is at least that of every write before it", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { body } = await api.get(api.inNamespace("configmaps"));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(created.metadata.resourceVersion),
    );
  }),

  behaviour("a limit cuts a list and says how many are left", async (api) => {
    await createMany(api, ["a", "b", "c", "d", "e"]);
    const { body } = await api.get(api.inNamespace("configmaps"), { query: { limit: "2" } });
    expect(namesOf(body)).toEqual(["a", "b"]);
    expect(body.metadata.remainingItemCount).toBe(3);
    expect(body.metadata.continue).toMatch(/./);
  }),

  behaviour("the last page has neither a token nor a count", async (api) => {
    await createMany(api, ["a", "b", "c"]);
    const first = await api.get(api.inNamespace("configmaps"), { query: { limit: "2" } });
    const last = await api.get(api.inNamespace("configmaps"), {
      query: { limit: "2", continue: first.body.metadata.continue },
    });
    expect(namesOf(last.body)).toEqual(["c"]);
    expect(last.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  }),

  behaviour("a limit of all there is needs no second page", async (api) => {
    await createMany(api, ["a", "b"]);
    const { body } = await api.get(api.inNamespace("configmaps"), { query: { limit: "2" } });
    expect(body.metadata.continue).toBeUndefined();
  }),

  behaviour("pages show one moment though objects come, change and go between them", async (api) => {
    await createMany(api, ["a", "b", "c", "d"]);
    const path = api.inNamespace("configmaps");
    const first = await api.get(path, { query: { limit: "2" } });
    await api.delete(`${path}/c`);
    await api.patch(`${path}/d`, "merge", { data: { changed: "yes" } });
    await createMany(api, ["bb", "e"]);
    const second = await api.get(path, { query: { limit: "5", continue: first.body.metadata.continue } });
    expect(namesOf(second.body)).toEqual(["c", "d"]);
    expect(second.body.items[1]?.data).toBeUndefined();
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  }),

  behaviour("no count is given of what is left of a selection", async (api) => {
    for (const name of ["a", "b", "c"])
      await api.create(api.inNamespace("configmaps"), { metadata: { name, labels: { deck: "upper" } } });
    const { body } = await api.get(api.inNamespace("configmaps"), {
      query: { limit: "2", labelSelector: "deck=upper" },
    });
    expect(namesOf(body)).toEqual(["a", "b"]);
    expect(body.metadata.continue).toMatch(/./);
    expect(body.metadata.remainingItemCount).toBeUndefined();
  }),

  behaviour("a page may be read twice with the same token", async (api) => {
    await createMany(api, ["a", "b", "c"]);
    const path = api.inNamespace("configmaps");
    const { body } = await api.get(path, { query: { limit: "1" } });
    const query = { limit: "1", continue: body.metadata.continue };
    expect((await api.get(path, { query })).body).toEqual((await api.get(path, { query })).body);
  }),

  behaviour("a forged continue token is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { limit: "1", continue: "forged" },
    });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toContain("continue key is not valid");
  }),

  behaviour("a continue token that leads out of the collection is refused", async (api) => {
    const token = Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: 1, start: "../../secrets/x" }));
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { limit: "1", continue: token.toString("base64url") },
    });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toContain("continue key is not valid");
  }),

  behaviour("a continue token together with a resourceVersion is refused", async (api) => {
    await createMany(api, ["a", "b"]);
    const path = api.inNamespace("configmaps");
    const first = await api.get(path, { query: { limit: "1" } });
    const { resourceVersion, continue: token } = first.body.metadata;
    const answer = await api.get(path, { query: { limit: "1", continue: token, resourceVersion } });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toBe("specifying resource version is not allowed when using continue");
  }),

  behaviour("resourceVersion 0 lists without asking for a moment", async (api) => {
    await createMany(api, ["a"]);
    await api.eventually(async () => {
      const { status, body } = await api.get(api.inNamespace("configmaps"), {
        query: { resourceVersion: "0" },
      });
      expect([status, namesOf(body)]).toEqual([200, ["a"]]);
    });
  }),

  behaviour("resourceVersionMatch NotOlderThan lists at that moment or later", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { status, body } = await api.get(api.inNamespace("configmaps"), {
      query: { resourceVersion: metadata.resourceVersion, resourceVersionMatch: "NotOlderThan" },
    });
    expect([status, namesOf(body)]).toEqual([200, ["a"]]);
  }),

  behaviour("resourceVersionMatch Exact lists what was there at that moment", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    await createMany(api, ["b"]);
    await api.delete(api.inNamespace("configmaps/a"));
    const { status, body } = await api.get(api.inNamespace("configmaps"), {
      query: { resourceVersion: metadata.resourceVersion, resourceVersionMatch: "Exact" },
    });
    expect([status, namesOf(body), body.metadata.resourceVersion]).toEqual([
      200,
      ["a"],
      metadata.resourceVersion,
    ]);
  }),

  behaviour("resourceVersionMatch without a resourceVersion is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), { query: { resourceVersionMatch: "Exact" } });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      details: {
        group: "meta.k8s.io",
        kind: "ListOptions",
        causes: [
          {
            reason: "FieldValueForbidden",
            message: "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
            field: "resourceVersionMatch",
          },
        ],
      },
    });
  }),

  behaviour("resourceVersionMatch of another word is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { resourceVersion: "1", resourceVersionMatch: "Roughly" },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Roughly": supported values: "Exact", "NotOlderThan", ""',
    );
  }),

  behaviour("resourceVersionMatch Exact with resourceVersion 0 is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { resourceVersion: "0", resourceVersionMatch: "Exact" },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ]);
  }),

  behaviour("a resourceVersion that is no number is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), { query: { resourceVersion: "yesterday" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('Invalid value: "yesterday"');
  }),

  behaviour("a list at a resourceVersion of the future is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), { query: { resourceVersion: "999999999" } });
    expect([answer.status, answer.body.reason]).toEqual([504, "Timeout"]);
    expect(answer.body.message).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/);
    expect(answer.body.details.causes).toEqual([
      { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
    ]);
  }),

  behaviour("pages of a custom kind show one moment too", async (api) => {
    const boats = await api.customKind();
    for (const name of ["a", "b", "c"]) await api.create(boats.path(), boats.object(name));
    const first = await api.get(boats.path(), { query: { limit: "1" } });
    await api.delete(`${boats.path()}/b`);
    const second = await api.get(boats.path(), {
      query: { limit: "5", continue: first.body.metadata.continue },
    });
    expect([namesOf(first.body), namesOf(second.body)]).toEqual([["a"], ["b", "c"]]);
  }),

  behaviour("a limit below zero means none", async (api) => {
    await createMany(api, ["a", "b"]);
    const answer = await api.get(api.inNamespace("configmaps"), { query: { limit: "-1" } });
    expect([answer.status, answer.body.items?.length]).toEqual([200, 2]);
  }),

  behaviour("a limit that is no number is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), { query: { limit: "many" } });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  }),

  behaviour("our own client reads all pages and finds nothing where nothing is", async (api) => {
    await createMany(api, ["a", "b"]);
    const client = api.client();
    const items = await client.list(ConfigMap, { namespace: api.namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const none = await client.find(ConfigMap, { namespace: api.namespace, name: "c" });
    expect(none).toBeUndefined();
  }),
];
