import { ConfigMap } from "@capstan/api";
import type { HttpResponse } from "@capstan/env";
import { expect, test } from "vitest";
import type { ManagerConnections } from "./managers.ts";
import { createWorld } from "./world.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

test("after a watch that went back in time, one list with resourceVersion 0 returns old objects", async () => {
  const managerConnections: ManagerConnections[] = [];
  const world = await createWorld({
    seed: "1",
    controllers: (connections) => {
      managerConnections.push(connections);
      return [];
    },
    faults: [{ fault: "watch-time-travel", when: { trigger: { resource: "configmaps", times: 1 } } }],
  });
  world.start();
  await world.advance(1_000);
  const create = (name: string) =>
    world.run(world.user.create(ConfigMap, { metadata: { name, namespace: "default" } }));
  const ask = async (query: string): Promise<HttpResponse> => {
    const [connections] = managerConnections;
    if (!connections) throw new Error("no manager has started");
    return world.run(connections.kube.request({ method: "GET", path: `${MAPS}?${query}`, headers: {} }));
  };
  const names = async (query: string): Promise<readonly string[]> => {
    const { items } = (await (await ask(query)).json()) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  await create("first");
  expect(await names("resourceVersion=0")).toEqual(["first"]);
  const watch = await ask("watch=true&resourceVersion=0");
  await create("second");
  const line = await world.run(watch.lines()[Symbol.asyncIterator]().next());
  expect(line).toMatchObject({ value: { type: "ERROR", object: { code: 410 } } });
  expect(await names("limit=500")).toEqual(["first", "second"]);
  expect(await names("resourceVersion=0&limit=500")).toEqual(["first"]);
  expect(await names("resourceVersion=0&limit=500")).toEqual(["first", "second"]);
});
