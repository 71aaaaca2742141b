import { KubeadmConfig, MachinePool, Secret } from "@capstan/api";
import { BOOTSTRAP_EXPIRES, isFreshFor } from "../../../packages/manager/src/bootstrap/fresh-bootstrap.ts";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  answerIn,
  ask,
  boot,
  bootstrapWorld,
  CLUSTER,
  CONFIG,
  configIn,
  createCluster,
  createPool,
  dataIn,
  NAMESPACE,
  nodesIn,
  POOL,
  type PoolOptions,
  tokenIn,
  tokensIn,
  writesOf,
} from "./bootstrap-world.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FINE = { quietMs: 30_000 };

async function readyWorld(options: PoolOptions = {}): Promise<World> {
  const world = await bootstrapWorld();
  await createCluster(world);
  await createPool(world, options);
  world.start();
  await world.settle(FINE);
  expect(await configIn(world)).toHaveCondition("Ready", "True");
  return world;
}

describe("the config of a pool", () => {
  test("gets its data in a Secret, with one token that was written ahead", async () => {
    const world = await readyWorld();
    const config = await configIn(world);
    expect(config.status).toMatchObject({
      initialization: { dataSecretCreated: true },
      dataSecretName: POOL,
      observedGeneration: 1,
    });
    expect(config).toHaveCondition("CertificatesAvailable", "True");
    expect(config).toHaveCondition("DataSecretAvailable", "True");
    const secret = await world.run(world.user.get(Secret, { name: POOL, namespace: NAMESPACE }));
    expect(secret).toMatchObject({
      type: "cluster.x-k8s.io/secret",
      metadata: {
        labels: { "cluster.x-k8s.io/cluster-name": CLUSTER },
        ownerReferences: [{ kind: "KubeadmConfig", name: POOL, controller: true }],
      },
      data: { format: Buffer.from("cloud-config").toString("base64") },
    });
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(["format", "join", "value"]);
    expect(writesOf(world).filter((write) => write.includes("secrets"))).toEqual([
      "create secrets in management",
      "create secrets in c1",
      "patch secrets in management",
    ]);
    expect(await tokensIn(world)).toHaveLength(1);
  });

  test("writes nothing once it is settled, with any state of its token", async () => {
    const world = await readyWorld();
    const [writes, data] = [world.testedWrites, await dataIn(world)];
    await world.advance(DAY_MS);
    expect(world.testedWrites).toBe(writes);
    expect(await dataIn(world)).toBe(data);
    expect(await tokensIn(world)).toHaveLength(1);
  });

  test("does not read its Secret for each status write of its pool", async () => {
    const world = await readyWorld();
    // More requests about one object in a minute than the invariant no-hot-loop allows.
    for (let replicas = 1; replicas <= 70; replicas++) {
      const body = { status: { replicas } };
      await world.run(world.user.patch(MachinePool, CONFIG, { type: "merge", subresource: "status", body }));
      await world.advance(100);
    }
  });

  test("lets machines join as Nodes", async () => {
    const world = await readyWorld({
      config: {
        joinConfiguration: {
          nodeRegistration: {
            name: '{{ ds.meta_data["local_hostname"] }}',
            kubeletExtraArgs: [
              { name: "cloud-provider", value: "external" },
              { name: "node-labels", value: "pool=blue" },
            ],
            taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }],
          },
        },
        preKubeadmCommands: ["hostnamectl set-hostname '{{ ds.meta_data[\"local_hostname\"] }}'"],
        files: [{ path: "/etc/motd", content: "hello\n" }],
      },
    });
    await boot(world, 2);
    await world.settle();
    const nodes = await nodesIn(world);
    expect(nodes.map(({ metadata }) => metadata.labels?.["pool"])).toEqual(["blue", "blue"]);
    expect(nodes[0]?.spec?.taints).toContainEqual({ key: "dedicated", value: "batch", effect: "NoSchedule" });
  });

  test("follows its spec and the version of its pool, with the token it has", async () => {
    const world = await readyWorld({ pool: { spec: { template: { spec: { version: "v1.30.4" } } } } });
    const before = await dataIn(world);
    expect(before).toContain("kubeadm.k8s.io/v1beta3");
    const name = { name: POOL, namespace: NAMESPACE };
    await world.run(
      world.user.patch(KubeadmConfig, name, {
        type: "merge",
        body: { spec: { postKubeadmCommands: ["echo done"] } },
      }),
    );
    const body = { spec: { template: { spec: { version: "v1.31.0" } } } };
    await world.run(world.user.patch(MachinePool, name, { type: "merge", body }));
    await world.settle(FINE);
    const after = await dataIn(world);
    expect(after).toContain("- 'echo done'\n");
    expect(after).toContain("kubeadm.k8s.io/v1beta4");
    expect(tokenIn(after)).toBe(tokenIn(before));
    expect(await tokensIn(world)).toHaveLength(1);
    expect((await configIn(world)).status?.observedGeneration).toBe(2);
  });

  test("creates its Secret again when a user deletes it", async () => {
    const world = await readyWorld();
    await world.run(world.user.delete(Secret, { name: POOL, namespace: NAMESPACE }));
    await world.advance(15 * 60_000);
    expect(await dataIn(world)).toContain("kubeadm join");
  });
});

describe("a request for fresh data", () => {
  test("is answered with the existing token while it is valid for long enough", async () => {
    const world = await readyWorld();
    const data = await dataIn(world);
    await ask(world, "put-1");
    await world.settle(FINE);
    expect(await answerIn(world)).toBe("put-1");
    expect(await dataIn(world)).toBe(data);
    expect(await tokensIn(world)).toHaveLength(1);
  });

  test("is answered with the same data for machines of one model, however often, and they join", async () => {
    const world = await readyWorld();
    const before = await dataIn(world);
    for (const request of ["m1.a.0", "m1.b.0", "m1.b.0", "m1.c.0"]) {
      await world.advance(DAY_MS);
      await ask(world, request);
      await world.settle(FINE);
      expect(await answerIn(world)).toBe(request);
    }
    expect(await dataIn(world)).toBe(before);
    expect(await tokensIn(world)).toHaveLength(1);
    await boot(world, 1);
    await world.settle();
    expect(await nodesIn(world)).toHaveLength(1);
  });

  test("is answered with the first token again when the first model comes back, however long after", async () => {
    const world = await readyWorld();
    const before = await dataIn(world);
    const tokens: string[] = [];
    for (const request of ["m1.a.0", "m2.a.0", "m1.b.0", "m2.b.0", "m1.c.0"]) {
      await world.advance(DAY_MS);
      await ask(world, request);
      await world.settle(FINE);
      expect(await answerIn(world)).toBe(request);
      tokens.push(tokenIn(await dataIn(world)));
    }
    expect(await dataIn(world)).toBe(before);
    expect(new Set([tokens[0], tokens[2], tokens[4]]).size).toBe(1);
    expect(tokens[3]).toBe(tokens[1]);
    expect(tokens[1]).not.toBe(tokens[0]);
    await boot(world, 1);
    await world.settle();
    expect(await nodesIn(world)).toHaveLength(1);
  });

  test("is answered with another token for machines of another model, once", async () => {
    const world = await readyWorld();
    const before = tokenIn(await dataIn(world));
    for (const request of ["m1.a.0", "m2.a.0", "m2.b.0", "m2.b.0"]) {
      await ask(world, request);
      await world.settle(FINE);
      expect(await answerIn(world)).toBe(request);
    }
    expect(tokenIn(await dataIn(world))).not.toBe(before);
    expect(await tokensIn(world)).toHaveLength(2);
    const config = await configIn(world);
    const nowMs = world.scheduler.wallMs;
    expect(isFreshFor(config, { request: "m2.b.0", untilMs: nowMs + HOUR_MS })).toBe(true);
    expect(isFreshFor(config, { request: "m2.b.0", untilMs: nowMs + DAY_MS })).toBe(false);
    expect(isFreshFor(config, { request: "m2.c.0", untilMs: nowMs })).toBe(false);
    await boot(world, 1);
    await world.settle();
    expect(await nodesIn(world)).toHaveLength(1);
  });

  test("is answered with another token when the cluster has lost the first", async () => {
    const world = await readyWorld();
    const [token] = await tokensIn(world);
    const client = world.workload(CLUSTER);
    await world.run(
      client?.delete(Secret, token?.metadata ?? { name: "" }) ?? Promise.reject(new Error("no cluster")),
    );
    await ask(world, "put-1");
    await world.settle(FINE);
    expect(await answerIn(world)).toBe("put-1");
    const [another] = await tokensIn(world);
    expect(another?.metadata.name).toBe(`bootstrap-token-${tokenIn(await dataIn(world)).slice(0, 6)}`);
    expect(another?.metadata.name).not.toBe(token?.metadata.name);
  });
});

test("the token of a pool that an autoscaler resizes is extended at half of its seven days", async () => {
  const world = await readyWorld({
    pool: { metadata: { annotations: { "cluster.x-k8s.io/replicas-managed-by": "autoscaler" } } },
  });
  const before = await dataIn(world);
  await world.advance(3.4 * DAY_MS);
  expect(await dataIn(world)).toBe(before);
  await world.advance(0.2 * DAY_MS);
  expect(await dataIn(world)).toBe(before);
  expect(await tokensIn(world)).toHaveLength(1);
  const expires = (await configIn(world)).metadata.annotations?.[BOOTSTRAP_EXPIRES] ?? "";
  expect(Date.parse(expires) - world.scheduler.wallMs).toBeGreaterThan(6.8 * DAY_MS);
});

test("two clusters with the same name prefix do not affect each other", async () => {
  const world = await bootstrapWorld();
  for (const name of ["c1", "c1-a"]) {
    await createCluster(world, name);
    await createPool(world, { name: `${name}-pool`, cluster: name });
  }
  world.start();
  await world.settle(FINE);
  for (const name of ["c1", "c1-a"]) {
    const [token, ...more] = await tokensIn(world, name);
    const data = await dataIn(world, `${name}-pool`);
    expect(more).toEqual([]);
    expect(data).toContain(`apiServerEndpoint: ${name}.default.capstan.internal:6443`);
    expect(token?.metadata.name).toBe(`bootstrap-token-${tokenIn(data).slice(0, 6)}`);
  }
});
