import { ConfigMap, Event, type Frozen, KubeadmConfig, olderConditionsOf, Secret } from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { rehearse, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  ELLIPTIC_AUTHORITY,
  RSA_AUTHORITY,
} from "../../../packages/manager/src/bootstrap/authority.fixture.ts";
import {
  BOOTSTRAP_EXPIRES,
  FRESH_BOOTSTRAP_ANSWER,
} from "../../../packages/manager/src/bootstrap/fresh-bootstrap.ts";
import {
  ask,
  bootstrapWorld,
  CANARY,
  CLUSTER,
  configIn,
  controllersWith,
  createCluster,
  createPool,
  dataIn,
  type Line,
  NAMESPACE,
  POOL,
  setInfrastructureReady,
  tokenIn,
  tokensIn,
  writesOf,
} from "./bootstrap-world.ts";

expect.extend(conditionMatchers);

const FINE = { quietMs: 30_000 };
const NAME = { name: POOL, namespace: NAMESPACE };

async function start(prepare: (world: World) => Promise<void>): Promise<World> {
  const world = await bootstrapWorld();
  await prepare(world);
  world.start();
  await world.settle(FINE);
  return world;
}

async function messageIn(world: World): Promise<string> {
  const { status } = await configIn(world);
  return olderConditionsOf({ status })?.find(({ type }) => type === "DataSecretAvailable")?.message ?? "";
}

async function editConfig(world: World, body: object): Promise<Frozen<KubeadmConfig>> {
  return world.run(world.user.patch(KubeadmConfig, NAME, { type: "merge", body }));
}

/** Makes the workload cluster publish another authority than its own. */
async function showAuthority(world: World, pem: string): Promise<void> {
  const data = Buffer.from(pem).toString("base64");
  const kubeconfig = `clusters:\n- cluster:\n    certificate-authority-data: "${data}"\n    server: https://x\n`;
  const place = { name: "cluster-info", namespace: "kube-public" };
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("there is no workload cluster");
  await world.run(workload.patch(ConfigMap, place, { type: "merge", body: { data: { kubeconfig } } }));
}

describe("a config waits", () => {
  test("for the infrastructure of its cluster", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await setInfrastructureReady(made, CLUSTER, false);
      await createPool(made);
    });
    expect(await configIn(world)).toHaveCondition(
      "DataSecretAvailable",
      "False",
      "WaitingForClusterInfrastructure",
    );
    expect(await configIn(world)).toHaveCondition("Ready", "False", "WaitingForClusterInfrastructure");
    expect((await configIn(world)).status?.initialization).toBeUndefined();
    await setInfrastructureReady(world, CLUSTER, true);
    await world.settle(FINE);
    expect(await configIn(world)).toHaveCondition("Ready", "True");
  });

  test("for an owner", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made);
      await editConfig(made, { metadata: { ownerReferences: null } });
    });
    expect(await configIn(world)).toHaveCondition("DataSecretAvailable", "False", "WaitingForOwner");
  });

  test.each(["noWay", "silent"] as const)(
    "for a control plane that answers (%s), and then has no additional token",
    async (state) => {
      const line: Line = { state };
      const world = await bootstrapWorld({ controllers: controllersWith(line) });
      await createCluster(world);
      await createPool(world);
      world.start();
      await world.advance(3 * 3_600_000);
      const config = await configIn(world);
      expect(config).toHaveCondition("DataSecretAvailable", "False", "WaitingForControlPlaneAvailable");
      expect(await messageIn(world)).toMatch(
        /^The control plane of Cluster "c1" does not answer: [A-Za-z]+$/,
      );
      expect(new Set(writesOf(world))).toEqual(new Set(["patch kubeadmconfigs/status in management"]));
      line.state = "up";
      await world.settle(FINE);
      expect(await configIn(world)).toHaveCondition("Ready", "True");
      expect(await tokensIn(world)).toHaveLength(1);
    },
  );

  test("for the authority of its cluster, which the cluster itself may publish", async () => {
    const world = await start(async (made) => {
      await createCluster(made, CLUSTER, "");
      await createPool(made);
    });
    await world.run(world.user.delete(Secret, { name: `${CLUSTER}-ca`, namespace: NAMESPACE }));
    await showAuthority(world, "");
    await world.advance(15 * 60_000);
    expect(await configIn(world)).toHaveCondition("CertificatesAvailable", "False", "WaitingForCertificates");
    expect(await tokensIn(world)).toEqual([]);
    await showAuthority(world, ELLIPTIC_AUTHORITY.pem);
    await world.advance(2 * 60_000);
    expect(await configIn(world)).toHaveCondition("Ready", "True");
    expect(await dataIn(world)).toContain(`- ${ELLIPTIC_AUTHORITY.hash}\n`);
  });

  test("for a Secret that it takes a value from, and names the field", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made, {
        config: {
          files: [
            { path: "/etc/azure.json", contentFrom: { secret: { name: "azure-json", key: "worker" } } },
          ],
        },
      });
    });
    expect(await configIn(world)).toHaveCondition("DataSecretAvailable", "False", "WaitingForSecret");
    expect(await messageIn(world)).toBe(
      'spec.files[0].contentFrom.secret.name: "azure-json": no such Secret exists in the namespace',
    );
    const secret = { metadata: { name: "azure-json", namespace: NAMESPACE }, stringData: { worker: "{}" } };
    await world.run(world.user.create(Secret, secret));
    await world.advance(60_000);
    expect(await dataIn(world)).toContain("- path: /etc/azure.json\n  content: '{}'\n");
  });
});

describe("a config is refused", () => {
  test("when it makes the machine of a worker a control plane", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made, { config: { joinConfiguration: { controlPlane: {} } } });
    });
    expect(await configIn(world)).toHaveCondition(
      "DataSecretAvailable",
      "False",
      "DataSecretGenerationFailed",
    );
    expect(await messageIn(world)).toContain("spec.joinConfiguration.controlPlane is set");
    expect(await tokensIn(world)).toEqual([]);
  });

  test("when its data is too large for Azure, before a token is created", async () => {
    const file = (index: number) => ({ path: `/f${index}`, content: "x".repeat(10_000) });
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made, { config: { files: [1, 2, 3, 4, 5, 6, 7].map(file) } });
    });
    expect(await configIn(world)).toHaveCondition(
      "DataSecretAvailable",
      "False",
      "DataSecretGenerationFailed",
    );
    expect(await messageIn(world)).toMatch(
      /^the bootstrap data has 7\d{4} bytes, but Azure accepts at most 65535;/,
    );
    expect(await tokensIn(world)).toEqual([]);
  });

  test("when a Secret of its name has another owner, and does not write it", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made);
      await made.run(made.user.create(Secret, { metadata: NAME, stringData: { mine: "yes" } }));
    });
    expect(await configIn(world)).toHaveCondition(
      "DataSecretAvailable",
      "False",
      "DataSecretGenerationFailed",
    );
    const secret = await world.run(world.user.get(Secret, NAME));
    expect(Object.keys(secret.data ?? {})).toEqual(["mine"]);
    expect(await tokensIn(world)).toEqual([]);
  });

  test("when the version of its pool is older than the supported ones", async () => {
    const world = await start(async (made) => {
      await createCluster(made);
      await createPool(made, { pool: { spec: { template: { spec: { version: "v1.21.14" } } } } });
    });
    expect(await messageIn(world)).toBe(
      'MachinePool "pool": spec.template.spec.version: "v1.21.14": must be Kubernetes v1.22.0 or later',
    );
  });

  test("when the authority of its cluster is not a certificate", async () => {
    const world = await start(async (made) => {
      await createCluster(made, CLUSTER, `-----BEGIN CERTIFICATE-----\n${CANARY}\n-----END CERTIFICATE-----`);
      await createPool(made);
    });
    expect(await configIn(world)).toHaveCondition("CertificatesAvailable", "False", "CertificatesCorrupted");
    expect(JSON.stringify(await configIn(world))).not.toContain(CANARY);
  });
});

test("existing data stays valid while the cluster is unreachable, and a request is answered afterwards", async () => {
  const line: Line = { state: "up" };
  const world = await bootstrapWorld({ controllers: controllersWith(line) });
  await createCluster(world);
  await createPool(world);
  world.start();
  await world.settle(FINE);
  line.state = "silent";
  await world.advance(3_600_000);
  expect(await configIn(world)).toHaveCondition("Ready", "True");
  const before = await dataIn(world);
  await ask(world, "put-1");
  await world.advance(3_600_000);
  expect(await dataIn(world)).toBe(before);
  expect((await configIn(world)).status?.initialization?.dataSecretCreated).toBe(true);
  line.state = "up";
  await world.settle(FINE);
  expect(await dataIn(world)).toBe(before);
  const { [BOOTSTRAP_EXPIRES]: expires = "", [FRESH_BOOTSTRAP_ANSWER]: answer } =
    (await configIn(world)).metadata.annotations ?? {};
  expect(answer).toBe("put-1");
  expect(Date.parse(expires) - world.scheduler.wallMs).toBeGreaterThan(3_600_000);
});

test("no token, and nothing else that is secret, shows up in conditions and events", async () => {
  const run = await rehearse({
    world: { seed: "7", controllers: controllersWith({ state: "up" }) },
    story: async (world) => {
      await createCluster(world, CLUSTER, RSA_AUTHORITY.pem);
      const secret = { metadata: { name: "passwords", namespace: NAMESPACE }, stringData: { ada: CANARY } };
      await world.run(world.user.create(Secret, secret));
      await createPool(world, {
        config: { users: [{ name: "ada", passwdFrom: { secret: { name: "passwords", key: "ada" } } }] },
      });
      await world.settle(FINE);
    },
    endState: async (world) => ({
      data: await dataIn(world),
      shown: JSON.stringify([await configIn(world), await world.run(world.user.list(Event))]),
    }),
  });
  expect(run.failure).toBeUndefined();
  const { data, shown } = run.end as { readonly data: string; readonly shown: string };
  expect(data).toContain(`passwd: ${CANARY}`);
  for (const secret of [CANARY, ...tokenIn(data).split(".")]) expect(shown).not.toContain(secret);
});
