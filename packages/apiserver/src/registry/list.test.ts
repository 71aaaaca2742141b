import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paths, type Seen, TestClient, widget } from "../testing.ts";
import { createMemoryStorage } from "../storage/memory.ts";

const names = (body: Seen): string[] => body.items.map(({ metadata }) => metadata.name);

async function withWidgets(count: number, options: object = {}): Promise<TestClient> {
  const client = new TestClient(options);
  for (let index = 0; index < count; index++)
    await client.create(
      paths.widgets,
      widget(`w${index}`, { metadata: { labels: { odd: String(index % 2) } } }),
    );
  return client;
}

/** Reads all pages; `between` runs after each. */
async function pages(
  client: TestClient,
  limit: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ items: Seen[]; versions: Set<string | undefined> }> {
  const items: Seen[] = [];
  const versions = new Set<string | undefined>();
  let token: string | undefined = "";
  do {
    const { body }: { body: Seen } = await client.get(`${paths.widgets}?limit=${limit}&continue=${token}`);
    items.push(...body.items);
    versions.add(body.metadata.resourceVersion);
    token = body.metadata.continue;
    await between();
  } while (token !== undefined);
  return { items, versions };
}

describe("list", () => {
  test("is a list of the kind, in the order of the names, at the newest version", async () => {
    const client = await withWidgets(0);
    for (const name of ["b", "c", "a"]) await client.create(paths.widgets, widget(name));
    const { body } = await client.get(paths.widgets);
    expect(body).toMatchObject({
      apiVersion: "test.x-k8s.io/v1",
      kind: "WidgetList",
      metadata: { resourceVersion: String(client.server.storage.resourceVersion) },
    });
    expect(names(body)).toEqual(["a", "b", "c"]);
  });

  test("covers all namespaces, or one", async () => {
    const client = await withWidgets(1);
    await client.create(paths.namespaces, { metadata: { name: "team" } });
    await client.create(paths.widgets.replace("default", "team"), widget("t"));
    expect(names((await client.get(paths.allWidgets)).body)).toEqual(["w0", "t"]);
    expect(names((await client.get(paths.widgets)).body)).toEqual(["w0"]);
  });

  test("picks by labels", async () => {
    const client = await withWidgets(4);
    expect(names((await client.get(`${paths.widgets}?labelSelector=odd%3D1`)).body)).toEqual(["w1", "w3"]);
    const both = await client.get(`${paths.widgets}?labelSelector=odd&fieldSelector=metadata.name%3Dw2`);
    expect(names(both.body)).toEqual(["w2"]);
    expect((await client.get(`${paths.widgets}?labelSelector=odd+%21%21x`)).body).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: expect.stringContaining("unable to parse requirement: found '!'") as string,
    });
  });

  test("pages have the remaining count, unless a selector makes that costly", async () => {
    const client = await withWidgets(5);
    const { body } = await client.get(`${paths.widgets}?limit=2`);
    expect(names(body)).toEqual(["w0", "w1"]);
    expect(body.metadata.remainingItemCount).toBe(3);
    const selected = await client.get(`${paths.widgets}?limit=1&labelSelector=odd%3D1`);
    expect(selected.body.metadata.continue).toBeDefined();
    expect(selected.body.metadata.remainingItemCount).toBeUndefined();
    const exact = await client.get(`${paths.widgets}?limit=5`);
    expect(exact.body.metadata.continue).toBeUndefined();
  });

  test("all pages together are the list at the version of the first, regardless of writes meanwhile", async () => {
    const write = fc.record({ name: fc.integer({ min: 0, max: 14 }), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 12 }),
        async (limit, rounds) => {
          const client = await withWidgets(10);
          const before = await client.get(paths.widgets);
          const queue = [...rounds];
          const { items, versions } = await pages(client, limit, async () => {
            for (const { name, remove } of queue.shift() ?? []) {
              const path = `${paths.widgets}/w${name}`;
              if (remove) await client.delete(path);
              else if ((await client.merge(path, { spec: { at: queue.length } })).status === 404)
                await client.create(paths.widgets, widget(`w${name}`));
            }
          });
          expect(items).toEqual(before.body.items);
          expect(versions).toEqual(new Set([before.body.metadata.resourceVersion]));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("a page whose version is compacted is 410, with a token to continue without consistency", async () => {
    const client = await withWidgets(5, { storage: createMemoryStorage() });
    const first = await client.get(`${paths.widgets}?limit=2`);
    await client.delete(`${paths.widgets}/w3`);
    client.server.storage.compact(client.server.storage.resourceVersion);
    const expired = await client.get(`${paths.widgets}?limit=2&continue=${first.body.metadata.continue}`);
    expect(expired.body).toMatchObject({ code: 410, reason: "Expired" });
    expect(expired.body.message).toContain("The provided continue parameter is too old");
    const rest = await client.get(`${paths.widgets}?continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(["w2", "w4"]);
    const exact = await client.get(`${paths.widgets}?resourceVersion=6&resourceVersionMatch=Exact`);
    expect(exact.body).toMatchObject({
      code: 410,
      message: "The resourceVersion for the provided list is too old.",
    });
  });

  test("returns the state at an exact version", async () => {
    const client = await withWidgets(3);
    const { metadata } = (await client.get(`${paths.widgets}/w1`)).body;
    await client.delete(`${paths.widgets}/w0`);
    const at = `resourceVersion=${metadata.resourceVersion}`;
    const exact = await client.get(`${paths.widgets}?${at}&resourceVersionMatch=Exact`);
    expect(names(exact.body)).toEqual(["w0", "w1"]);
    expect(exact.body.metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(names((await client.get(`${paths.widgets}?${at}&limit=9`)).body)).toEqual(["w0", "w1"]);
    expect(names((await client.get(`${paths.widgets}?${at}`)).body)).toEqual(["w1", "w2"]);
  });

  test("a list at resourceVersion 0 is not paged, as from kube-apiserver's cache", async () => {
    const client = await withWidgets(3);
    expect(names((await client.get(`${paths.widgets}?resourceVersion=0&limit=1`)).body)).toHaveLength(3);
  });

  const token = (value: unknown): string =>
    `continue=${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

  test.each([
    ["resourceVersion=abc", 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
    ["resourceVersion=99999", 504, "Timeout: Too large resource version: 99999, current: "],
    ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ["continue=abc", 400, "invalid continue token: continue key is not valid"],
    [
      token({ v: "meta.k8s.io/v2", rv: 5, start: "default/a" }),
      400,
      "does not recognize this encoded version",
    ],
    [
      token({ v: "meta.k8s.io/v1", rv: 0, start: "default/a" }),
      400,
      "incorrect encoded start resourceVersion",
    ],
    [token({ v: "meta.k8s.io/v1", rv: 5, start: "" }), 400, "encoded start key empty"],
    [token({ v: "meta.k8s.io/v1", rv: 5, start: "kube-system/a" }), 400, "continue key is not valid"],
    [
      `${token({ v: "meta.k8s.io/v1", rv: 5, start: "default/a" })}&resourceVersion=5`,
      400,
      "not allowed when using continue",
    ],
    [
      "resourceVersionMatch=Exact",
      422,
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
    ["resourceVersionMatch=Exact&resourceVersion=0", 422, '"exact" is forbidden for resourceVersion "0"'],
    ["resourceVersionMatch=Foo&resourceVersion=1", 422, 'supported values: "Exact", "NotOlderThan", ""'],
    ["sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"],
  ])("refuses %s", async (query, code, message) => {
    const client = await withWidgets(1);
    const { body } = await client.get(`${paths.widgets}?${query}`);
    expect(body.code).toBe(code);
    expect(body.message).toContain(message);
  });

  test("other versions of a kind return the same objects under their own apiVersion", async () => {
    const client = await withWidgets(1);
    const older = paths.widgets.replace("/v1/", "/v1alpha1/");
    expect((await client.get(older)).body.items[0]?.apiVersion).toBe("test.x-k8s.io/v1alpha1");
    const { body } = await client.merge(`${older}/w0`, { spec: { x: 1 } });
    expect(body.apiVersion).toBe("test.x-k8s.io/v1alpha1");
    expect((await client.get(`${paths.widgets}/w0`)).body).toMatchObject({
      apiVersion: "test.x-k8s.io/v1",
      spec: { x: 1 },
    });
    const watch = await client.watch(older, "resourceVersion=5");
    await expect(watch.next()).resolves.toMatchObject({
      value: { object: { apiVersion: "test.x-k8s.io/v1alpha1" } },
    });
  });
});
