import { customKinds, Machine, MachineSet, toCustomResourceDefinition } from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, type Transport } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { countObjects } from "./count-objects.ts";
import { installDefinitions } from "./install-definitions.ts";
import { inProcess } from "./transport.ts";

const env = createRealEnv();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A server that records every request other than a read. */
function server(): { transport: Transport; writes: string[] } {
  const storage = createMemoryStorage();
  const { handle } = createApiServer({ env, kinds: builtInKinds, rules: customKinds, storage });
  const writes: string[] = [];
  const request = (asked: HttpRequest) => {
    if (asked.method !== "GET") writes.push(`${asked.method} ${asked.path.split("?")[0]}`);
    return handle(asked);
  };
  return { transport: inProcess(request), writes };
}

const read = async (transport: Transport, path: string): Promise<unknown> =>
  (await transport.request({ method: "GET", path, headers: {} })).json();
const send = async (transport: Transport, method: string, path: string, body: unknown): Promise<number> => {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return (await transport.request({ method, path, headers: { "content-type": type }, body })).status;
};

describe("the CRDs", () => {
  test("are created, served at once, and not written again", async () => {
    const { transport, writes } = server();
    expect(await installDefinitions({ env, transport }, customKinds)).toEqual({
      created: customKinds.length,
      updated: 0,
      unchanged: 0,
    });
    for (const kind of customKinds) {
      const path = `/apis/${kind.group}/${kind.version}/${kind.plural}`;
      expect(await read(transport, path)).toMatchObject({ kind: `${kind.kind}List` });
    }
    writes.length = 0;
    expect(await installDefinitions({ env, transport }, customKinds)).toMatchObject({
      unchanged: customKinds.length,
    });
    expect(writes).toEqual([]);
  });

  test("are updated one by one, and keep what other clients added to them", async () => {
    const { transport, writes } = server();
    await installDefinitions({ env, transport }, [Machine, MachineSet]);
    const path = `${DEFINITIONS}/machines.cluster.x-k8s.io`;
    const { spec } = toCustomResourceDefinition(Machine);
    const patch = {
      metadata: { labels: { theirs: "kept" } },
      spec: { names: { ...spec.names, shortNames: ["old"] } },
    };
    expect(await send(transport, "PATCH", path, patch)).toBe(200);
    writes.length = 0;
    expect(await installDefinitions({ env, transport }, [Machine, MachineSet])).toEqual({
      created: 0,
      updated: 1,
      unchanged: 1,
    });
    expect(writes).toEqual([`PUT ${path}`]);
    const { shortNames } = spec.names;
    expect(await read(transport, path)).toMatchObject({
      metadata: { labels: { theirs: "kept" } },
      spec: { names: { shortNames } },
    });
  });
});

describe("the count of objects", () => {
  test("covers all kinds and counts each object once", async () => {
    const { transport } = server();
    const before = await countObjects(transport);
    for (const name of ["a", "b", "c"]) {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
      expect(await send(transport, "POST", "/api/v1/namespaces/default/configmaps", body)).toBe(201);
    }
    await installDefinitions({ env, transport }, [MachineSet]);
    expect(await countObjects(transport)).toBe(before + 4);
  });
});
