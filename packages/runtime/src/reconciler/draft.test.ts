import { type Condition, ConfigMap, type Frozen } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isConflict, isNotFound } from "../failure.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { Draft } from "./draft.ts";

const a = { name: "a", namespace: "default" };
const condition = (type: string, status: Condition["status"] = "True", reason = "Because"): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

async function stored(testServer: TestServer, object: TestObject): Promise<Frozen<TestObject>> {
  const created = await testServer.run(testServer.client.create(TestObject, object));
  if (!object.status) return created;
  return testServer.run(
    testServer.client.patch(TestObject, a, {
      type: "merge",
      subresource: "status",
      body: { status: object.status },
    }),
  );
}

/** A draft of the stored object; its writes are recorded. */
async function drafted(
  object: TestObject = testObject("a", { spec: { sails: 1, crew: { size: 2, cook: "Jo" } } }),
) {
  const testServer = new TestServer();
  const { client, requests } = testServer.connect("controller");
  const draft = new Draft(TestObject, client, await stored(testServer, object));
  const writes = (): HttpRequest[] => requests.filter(({ method }) => method !== "GET");
  const now = (): Promise<Frozen<TestObject>> => testServer.run(testServer.client.get(TestObject, a));
  const other = (body: object, subresource?: string): Promise<Frozen<TestObject>> =>
    testServer.run(
      testServer.client.patch(TestObject, a, {
        type: "merge",
        body,
        ...(subresource !== undefined && { subresource }),
      }),
    );
  return { testServer, draft, requests, writes, now, other };
}

describe("a draft", () => {
  test("writes nothing when nothing was changed", async () => {
    const { testServer, draft, requests } = await drafted(
      testObject("a", { status: { phase: "x", conditions: [condition("Ready")] } }),
    );
    await testServer.run(draft.persistObject());
    await testServer.run(draft.persistStatus());
    expect(requests).toEqual([]);
  });

  test("writes nothing when everything was changed back", async () => {
    const { testServer, draft, requests } = await drafted(
      testObject("a", { spec: { sails: 1 }, status: { conditions: [condition("Ready")] } }),
    );
    draft.object.spec = { sails: 2 };
    draft.object.spec = { sails: 1 };
    draft.object.status = structuredClone(draft.object.status ?? {});
    draft.object.metadata.labels = {};
    delete draft.object.metadata.labels;
    await testServer.run(draft.persistObject());
    await testServer.run(draft.persistStatus());
    expect(requests).toEqual([]);
  });

  test("does not touch the object in the cache", async () => {
    const { draft } = await drafted();
    Object.assign(draft.object.spec ?? {}, { sails: 9 });
    expect(draft.stored.spec?.["sails"]).toBe(1);
  });

  test("writes only the changes, with the version that was read", async () => {
    const { testServer, draft, writes, now } = await drafted();
    const version = draft.stored.metadata.resourceVersion;
    draft.object.spec = { sails: 3, crew: { size: 2 } };
    draft.object.metadata.finalizers = ["f"];
    await testServer.run(draft.persistObject());
    expect(writes().map(({ body }) => body)).toEqual([
      { metadata: { finalizers: ["f"], resourceVersion: version }, spec: { sails: 3, crew: { cook: null } } },
    ]);
    expect((await now()).spec).toEqual({ sails: 3, crew: { size: 2 } });
  });

  test("writes the status beside the object, in a separate patch", async () => {
    const { testServer, draft, writes, now } = await drafted();
    draft.object.spec = { ...draft.object.spec, sails: 3 };
    draft.object.status = { phase: "Sailing", conditions: [condition("Ready")] };
    await testServer.run(draft.persistObject());
    await testServer.run(draft.persistStatus());
    expect(
      writes().map(({ path, body }) => [path.includes("/status"), Object.keys(body as object).sort()]),
    ).toEqual([
      [false, ["metadata", "spec"]],
      [true, ["metadata", "status"]],
    ]);
    expect((await now()).status).toEqual({ phase: "Sailing", conditions: [condition("Ready")] });
  });

  test("can be edited further after it was written", async () => {
    const { testServer, draft, writes, now } = await drafted();
    for (const sails of [2, 3]) {
      draft.object.spec = { ...draft.object.spec, sails };
      await testServer.run(draft.persistObject());
      draft.object.status = { sails };
      await testServer.run(draft.persistStatus());
    }
    expect(writes()).toHaveLength(4);
    expect(await now()).toMatchObject({ spec: { sails: 3 }, status: { sails: 3 } });
    expect(draft.object).toEqual(await now());
  });

  test("keeps pending edits of the object while the status is written", async () => {
    const { testServer, draft, now } = await drafted();
    draft.object.spec = { ...draft.object.spec, sails: 7 };
    draft.object.metadata.labels = { mine: "yes" };
    draft.object.status = { phase: "Reserving" };
    await testServer.run(draft.persistStatus());
    expect((await now()).spec?.["sails"]).toBe(1);
    expect(draft.object).toMatchObject({ spec: { sails: 7 }, metadata: { labels: { mine: "yes" } } });
    await testServer.run(draft.persistObject());
    expect(await now()).toMatchObject({
      spec: { sails: 7 },
      metadata: { labels: { mine: "yes" } },
      status: { phase: "Reserving" },
    });
  });

  test("writes no status for kinds without one", async () => {
    const testServer = new TestServer();
    const { client, requests } = testServer.connect("controller");
    const map = await testServer.run(testServer.client.create(ConfigMap, { metadata: a, data: { x: "1" } }));
    const draft = new Draft(ConfigMap, client, map);
    Object.assign(draft.object, { status: { phase: "x" } });
    await testServer.run(draft.persistObject());
    await testServer.run(draft.persistStatus());
    expect(requests).toEqual([]);
  });
});

describe("another client that writes meanwhile", () => {
  test("makes a write of the object a conflict, because the pass decided on an old state", async () => {
    const { testServer, draft, other, now } = await drafted();
    await other({ spec: { sails: 5 } });
    draft.object.spec = { ...draft.object.spec, crew: {} };
    expect(isConflict(await testServer.failure(draft.persistObject()))).toBe(true);
    expect((await now()).spec).toEqual({ sails: 5, crew: { size: 2, cook: "Jo" } });
  });

  test("keeps its conditions and fields of the status, and the controller keeps its own", async () => {
    const { testServer, draft, other, writes, now } = await drafted(
      testObject("a", {
        status: {
          phase: "Old",
          theirs: 1,
          conditions: [condition("Ours", "False"), condition("Theirs", "False")],
        },
      }),
    );
    await other(
      {
        status: {
          theirs: 2,
          conditions: [condition("Ours", "False"), condition("Theirs"), condition("New")],
        },
      },
      "status",
    );
    draft.object.status = {
      ...draft.object.status,
      phase: "Sailing",
      conditions: [condition("Ours"), condition("Theirs", "False"), condition("Extra")],
    };
    await testServer.run(draft.persistStatus());
    expect(writes()).toHaveLength(2);
    const { status } = await now();
    expect(status).toMatchObject({ phase: "Sailing", theirs: 2 });
    expect(status?.conditions?.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
      "Extra True",
      "New True",
      "Ours True",
      "Theirs True",
    ]);
    expect(draft.object).toEqual(await now());
  });

  test("and removed a condition does not get it back; one that the pass removed stays removed", async () => {
    const { testServer, draft, other, now } = await drafted(
      testObject("a", { status: { conditions: [condition("A"), condition("B"), condition("C")] } }),
    );
    await other({ status: { conditions: [condition("B"), condition("C")] } }, "status");
    draft.object.status = { conditions: [condition("A"), condition("C", "False")] };
    await testServer.run(draft.persistStatus());
    expect((await now()).status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "C False",
    ]);
  });

  test("and made the same change leaves nothing to write", async () => {
    const { testServer, draft, other, writes } = await drafted();
    await other({ status: { phase: "Sailing" } }, "status");
    draft.object.status = { phase: "Sailing" };
    await testServer.run(draft.persistStatus());
    expect(writes(), "one that met the conflict").toHaveLength(1);
  });

  test("and changed the object as well loses nothing: edits on the old version are refused", async () => {
    const { testServer, draft, other, now } = await drafted();
    await other({ metadata: { finalizers: ["theirs.example.com/guard"] } });
    draft.object.metadata.finalizers = ["ours.example.com/guard"];
    draft.object.status = { phase: "Sailing" };
    await testServer.run(draft.persistStatus());
    expect(isConflict(await testServer.failure(draft.persistObject()))).toBe(true);
    expect(await now()).toMatchObject({
      metadata: { finalizers: ["theirs.example.com/guard"] },
      status: { phase: "Sailing" },
    });
  });

  test("faster than the pass ends it after five attempts", async () => {
    const testServer = new TestServer();
    let turn = 0;
    const { client, requests } = testServer.connect("controller", {
      handler: async (request) => {
        if (request.method === "PATCH") {
          turn++;
          await testServer.server({ ...request, body: { status: { turn } } });
        }
        return testServer.server(request);
      },
    });
    const draft = new Draft(TestObject, client, await stored(testServer, testObject("a")));
    draft.object.status = { phase: "Sailing" };
    expect(isConflict(await testServer.failure(draft.persistStatus()))).toBe(true);
    expect(requests.filter(({ method }) => method === "PATCH")).toHaveLength(5);
  });

  test("and deleted the object causes NotFound", async () => {
    const { testServer, draft } = await drafted();
    await testServer.run(testServer.client.delete(TestObject, a));
    draft.object.status = { phase: "Sailing" };
    expect(isNotFound(await testServer.failure(draft.persistStatus()))).toBe(true);
    draft.object.spec = {};
    expect(isNotFound(await testServer.failure(draft.persistObject()))).toBe(true);
  });

  test("and recreated the object gets no write, and the pass ends as for a deleted one", async () => {
    const { testServer, draft, now } = await drafted();
    await testServer.run(testServer.client.delete(TestObject, a));
    await testServer.run(testServer.client.create(TestObject, testObject("a", { spec: { another: true } })));
    draft.object.status = { phase: "Reserving" };
    // A caller that writes an intent ahead must not take it for written.
    expect(isNotFound(await testServer.failure(draft.persistStatus()))).toBe(true);
    expect((await now()).status).toBeUndefined();
    draft.object.spec = {};
    expect(isConflict(await testServer.failure(draft.persistObject()))).toBe(true);
    expect((await now()).spec).toEqual({ another: true });
  });
});

const number = fc.nat(3);
// Removing a whole object also removes another client's additions inside it: `x` is always present, so that only leaves are edited.
const fields = fc.record(
  { u: number, v: number, w: number, x: fc.record({ m: number, n: number }, { requiredKeys: [] }) },
  { requiredKeys: ["x"] },
);
const conditions = fc
  .uniqueArray(fc.constantFrom("A", "B", "C", "D"), { maxLength: 4 })
  .chain((types) =>
    fc.tuple(
      ...types.map((type) =>
        fc.constantFrom<Condition["status"]>("True", "False").map((status) => condition(type, status)),
      ),
    ),
  );
const state = fc.record({ fields, conditions });

interface State {
  readonly fields: Record<string, unknown>;
  readonly conditions: Condition[];
}

const statusOf = ({ fields: rest, conditions: list }: State): NonNullable<TestObject["status"]> => ({
  ...structuredClone(rest),
  conditions: structuredClone(list),
});

/** The leaves of a JSON value by their paths. */
function leaves(value: unknown, path = ""): Map<string, unknown> {
  if (typeof value !== "object" || value === null) return new Map([[path, value]]);
  return new Map(Object.entries(value).flatMap(([name, item]) => [...leaves(item, `${path}/${name}`)]));
}

/** Fields are merged leaf by leaf: the pass wins where it edited, the other client elsewhere. */
function expectMerged(
  result: Record<string, unknown>,
  base: State,
  [mine, theirs]: readonly [State, State],
): void {
  const [was, ours, others] = [leaves(base.fields), leaves(mine.fields), leaves(theirs.fields)];
  const merged = leaves(result);
  for (const path of new Set([...was.keys(), ...ours.keys(), ...others.keys()])) {
    const desired = was.get(path) === ours.get(path) ? others.get(path) : ours.get(path);
    expect(merged.get(path), path).toEqual(desired);
  }
}

test("after a status write the server has the edits of the pass, and those of the other client everywhere else", async () => {
  const statusIn = (list: readonly Condition[], type: string): string | undefined =>
    list.find((one) => one.type === type)?.status;
  await fc.assert(
    fc.asyncProperty(state, state, state, async (base, mine, theirs) => {
      const { testServer, draft, now, writes } = await drafted(testObject("a", { status: statusOf(base) }));
      const their = { ...(await now()), status: statusOf(theirs) };
      await testServer.run(testServer.client.update(TestObject, their, { subresource: "status" }));
      draft.object.status = statusOf(mine);
      await testServer.run(draft.persistStatus());
      const { conditions: list = [], ...rest } = (await now()).status ?? {};
      expectMerged(rest, base, [mine, theirs]);
      for (const type of ["A", "B", "C", "D"]) {
        const edited = statusIn(base.conditions, type) !== statusIn(mine.conditions, type);
        const desired = edited ? mine.conditions : theirs.conditions;
        expect(statusIn(list as Condition[], type), type).toBe(statusIn(desired, type));
      }
      // Without an edit, nothing is written and so nothing is read.
      if (writes().length > 0) expect(draft.object.status).toEqual((await now()).status ?? {});
    }),
    { numRuns: 200 },
  );
});
