import {
  type CustomResourceDefinition,
  customKinds,
  Machine,
  MachineSet,
  toCustomResourceDefinition,
} from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import {
  createRealEnv,
  type HttpRequest,
  type HttpResponse,
  Scheduler,
  type Transport,
  VirtualProcess,
} from "@capstan/env";
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

describe("a busy API server", () => {
  /** Installs a CRD on a server that serves it only after a time. */
  async function installing(servedAfterMs: number) {
    const scheduler = new Scheduler({ seed: "1" });
    const { handle } = createApiServer({
      env: new VirtualProcess(scheduler, "apiserver"),
      kinds: builtInKinds,
      rules: [Machine],
    });
    const user = new VirtualProcess(scheduler, "user");
    const busy = async (asked: HttpRequest): Promise<HttpResponse> => {
      const answer = await handle(asked);
      if (
        asked.method !== "GET" ||
        scheduler.monotonicMs >= servedAfterMs ||
        !asked.path.includes("/machines.")
      )
        return answer;
      const definition = (await answer.json()) as CustomResourceDefinition;
      const conditions = [
        { type: "NamesAccepted", status: "True", message: "the initial names have been accepted" },
      ];
      const body = JSON.stringify({ ...definition, status: { conditions } });
      return {
        ...answer,
        text: () => Promise.resolve(body),
        json: () => Promise.resolve(JSON.parse(body) as unknown),
      };
    };
    const lines: string[] = [];
    let ended = "";
    const done = installDefinitions({ env: user, transport: user.connect(busy) }, [Machine], {
      say: (line) => lines.push(line),
    }).then(
      ({ created }) => (ended = `${created} new`),
      (error: unknown) => (ended = (error as Error).message),
    );
    await scheduler.run({ until: () => ended !== "" });
    await done;
    return { lines, ended };
  }

  test("is waited for, and what for is said once", async () => {
    expect(await installing(90_000)).toEqual({
      lines: ["Waiting until CRD machines.cluster.x-k8s.io is served: the initial names have been accepted"],
      ended: "1 new",
    });
  });

  test("that answers soon is not mentioned", async () => {
    expect(await installing(1_000)).toEqual({ lines: [], ended: "1 new" });
  });

  test("that never serves a CRD ends the command after minutes, with what to do", async () => {
    const { ended } = await installing(Infinity);
    expect(ended).toBe(
      "CRD machines.cluster.x-k8s.io is not served after 5 minutes: the initial names have been accepted; repeat this command when the API server is less busy",
    );
  });
});
