/** What replicas of the manager do for our CRDs, in virtual time. */
import { customKinds, CustomResourceDefinition, MachineHealthCheck } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { type Client, createClient, MetricRegistry, silentLogger, terminal } from "@capstan/runtime";
import { expect, test } from "vitest";
import { DefinitionKeeper } from "../../packages/manager/src/stored-versions/definition-keeper.ts";
import { definitionStoring, inVersion, NEWER, OLDER, plain } from "./flip.ts";

const NAME = { name: "machinehealthchecks.cluster.x-k8s.io" };
const SERVICE = { name: "capstan-webhooks", namespace: "capstan-system" };
const MINUTE_MS = 60_000;

interface World {
  readonly scheduler: Scheduler;
  readonly admin: Client;
  readonly run: <R>(promise: Promise<R>) => Promise<R>;
  readonly definition: () => Promise<CustomResourceDefinition>;
  /** The writes of the replica. */
  readonly writes: string[];
  readonly metrics: MetricRegistry;
  leads: boolean;
  bundle: string;
}

/** A server whose CRD has another storage version than before, and one replica that does not lead yet. */
async function upgraded(): Promise<World> {
  const scheduler = new Scheduler({ seed: "1" });
  const rules = customKinds.map(plain);
  const { handle } = createApiServer({
    env: new VirtualProcess(scheduler, "apiserver"),
    kinds: builtInKinds,
    rules,
  });
  const run = async <R>(promise: Promise<R>): Promise<R> => {
    let isSettled = false;
    const done = promise.finally(() => (isSettled = true));
    await scheduler.run({ until: () => isSettled });
    return done;
  };
  const user = new VirtualProcess(scheduler, "user");
  const admin = createClient({ transport: user.connect(handle), env: user, fieldManager: "user" });
  const older = definitionStoring(MachineHealthCheck, OLDER);
  const { metadata } = await run(admin.create(CustomResourceDefinition, older));
  const spec = { clusterName: "pier", selector: {}, unhealthyConditions: [] };
  const check = { metadata: { name: "a", namespace: "default" }, spec };
  await run(admin.create(inVersion(MachineHealthCheck, OLDER), check));
  const { resourceVersion = "" } = (await run(admin.get(CustomResourceDefinition, metadata))).metadata;
  const newer = definitionStoring(MachineHealthCheck, NEWER);
  await run(
    admin.update(CustomResourceDefinition, { ...newer, metadata: { ...newer.metadata, resourceVersion } }),
  );
  const writes: string[] = [];
  const process = new VirtualProcess(scheduler, "manager");
  const transport = process.connect(handle, {
    fate: ({ method, path }) => {
      if (method !== "GET") writes.push(path.split("?")[0]?.split("/").at(-1) ?? "");
      return "deliver";
    },
  });
  const world: World = {
    scheduler,
    admin,
    run,
    definition: async () =>
      structuredClone(await run(admin.get(CustomResourceDefinition, NAME))) as CustomResourceDefinition,
    writes,
    metrics: new MetricRegistry(),
    leads: false,
    bundle: "ca",
  };
  const keeper = new DefinitionKeeper({
    env: process,
    log: silentLogger,
    client: createClient({ transport, env: process, fieldManager: "capstan" }),
    assertMayWrite: () => {
      if (!world.leads) throw terminal("NotLeading", "another process leads");
    },
    bundle: () => world.bundle,
    service: SERVICE,
    metrics: world.metrics,
  });
  keeper.run(new AbortController().signal).catch((error: unknown) => scheduler.fail(error));
  return world;
}

const bundleIn = ({ spec }: CustomResourceDefinition): string =>
  Buffer.from(spec.conversion?.webhook?.clientConfig.caBundle ?? "", "base64").toString();

test("a replica that does not lead writes the trust, and leaves the migration to the leader", async () => {
  const world = await upgraded();
  await world.scheduler.advance(MINUTE_MS);
  const definition = await world.definition();
  expect([bundleIn(definition), definition.status?.storedVersions]).toEqual(["ca", [OLDER, NEWER]]);
  expect(world.writes).toEqual([NAME.name]);
});

test("the leader migrates once, and then writes nothing more", async () => {
  const world = await upgraded();
  world.leads = true;
  await world.scheduler.advance(MINUTE_MS);
  expect((await world.definition()).status?.storedVersions).toEqual([NEWER]);
  expect(world.writes).toEqual([NAME.name, "a", "status"]);
  await world.scheduler.advance(60 * MINUTE_MS);
  expect(world.writes).toHaveLength(3);
  expect(world.metrics.print()).toContain(
    'capstan_stored_objects_rewritten_total{definition="machinehealthchecks.cluster.x-k8s.io",result="stored"} 1',
  );
});

test("the trust follows renewed certificates, and is restored when another client overwrites it", async () => {
  const world = await upgraded();
  await world.scheduler.advance(MINUTE_MS);
  world.bundle = "renewed";
  await world.scheduler.advance(MINUTE_MS);
  expect(bundleIn(await world.definition())).toBe("renewed");
  const path = "/spec/conversion/webhook/clientConfig/caBundle";
  const body = [{ op: "replace", path, value: Buffer.from("cainjector").toString("base64") }];
  await world.run(world.admin.patch(CustomResourceDefinition, NAME, { type: "json", body }));
  await world.scheduler.advance(MINUTE_MS);
  expect(bundleIn(await world.definition())).toBe("renewed");
});

test("a definition that has just changed is left alone: other API servers may not know it yet", async () => {
  const world = await upgraded();
  world.leads = true;
  await world.scheduler.advance(4_000);
  expect(world.writes).toEqual([NAME.name]);
});

test("owners in a version that is not served any more are removed, once", async () => {
  const world = await upgraded();
  world.leads = true;
  await world.scheduler.advance(MINUTE_MS);
  const older = inVersion(MachineHealthCheck, OLDER);
  const name = { name: "a", namespace: "default" };
  const applied = { metadata: { labels: { app: "a" } } };
  await world.run(
    world.admin.patch(older, name, { type: "apply", body: applied, fieldManager: "gitops", force: true }),
  );
  const current = await world.definition();
  const versions = current.spec.versions.map((one) => ({ ...one, served: one.name === NEWER }));
  await world.run(
    world.admin.update(CustomResourceDefinition, { ...current, spec: { ...current.spec, versions } }),
  );
  world.writes.length = 0;
  await world.scheduler.advance(MINUTE_MS);
  const { metadata } = await world.run(world.admin.get(inVersion(MachineHealthCheck, NEWER), name));
  expect(JSON.stringify(metadata.managedFields)).not.toContain(`cluster.x-k8s.io/${OLDER}"`);
  expect(metadata.labels).toEqual({ app: "a" });
  await world.scheduler.advance(60 * MINUTE_MS);
  expect(world.writes).toEqual(["a"]);
});
