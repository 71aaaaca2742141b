/** An upgrade on a real kube-apiserver: objects of another stored version, and a manager that is killed at each write. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CustomKind,
  CustomResourceDefinition,
  type KubernetesObject,
  MachineHealthCheck,
  Namespace,
} from "@capstan/api";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, type Transport, TransportError } from "@capstan/env";
import { WebhookServer } from "@capstan/manager";
import { type Client, createClient, silentLogger } from "@capstan/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { install } from "../../packages/cli/src/commands/init.ts";
import { apply as applyManifest } from "../../packages/cli/src/install/apply.ts";
import { installation, reviews } from "../../packages/cli/src/install/installation.ts";
import { runsAll } from "../sample.ts";
import { definitionStoring, inVersion, NEWER, OLDER } from "../upgrade/flip.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { collectsGarbage } from "./garbage.ts";
import { eventually } from "./management.ts";
import { type ServiceRoute, startServiceRoute } from "./service-route.ts";

const env = createRealEnv();
const folder = mkdtempSync(join(tmpdir(), "capstan-migration-"));
const NAME = "machinehealthchecks.cluster.x-k8s.io";
const NAMES = ["a", "b", "c"];
/** The version that this release stores, and the one that the release before it stored. */
const stored = MachineHealthCheck.version;
const before = stored === OLDER ? NEWER : OLDER;

let route: ServiceRoute;
let plane: ControlPlane;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  route = await startServiceRoute(join(folder, "services.sock"));
  plane = await startControlPlane({ egress: route.socket });
  transport = plane.connect();
  client = createClient({ transport, env, fieldManager: "test" });
});
afterAll(async () => {
  await transport.close();
  await plane.stop();
  await route.close();
  rmSync(folder, { recursive: true, force: true });
});

const SPECS: Readonly<Record<string, object>> = {
  [OLDER]: {
    nodeStartupTimeout: "20m0s",
    maxUnhealthy: "40%",
    unhealthyConditions: [{ type: "Ready", status: "Unknown", timeout: "5m0s" }],
  },
  [NEWER]: {
    checks: {
      nodeStartupTimeoutSeconds: 1200,
      unhealthyNodeConditions: [{ type: "Ready", status: "Unknown", timeoutSeconds: 300 }],
    },
    remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "40%" } },
  },
};

const check = (name: string, version: string): KubernetesObject & { readonly spec: object } => ({
  apiVersion: `cluster.x-k8s.io/${version}`,
  kind: "MachineHealthCheck",
  // With the label that our admission adds.
  metadata: { name, namespace: "default", labels: { app: name, "cluster.x-k8s.io/cluster-name": "pier" } },
  spec: { clusterName: "pier", selector: { matchLabels: { a: "b" } }, ...SPECS[version] },
});

const kindIn = (version: string): CustomKind => inVersion(MachineHealthCheck, version);
const apply = (name: string, version: string): Promise<unknown> =>
  client.patch(
    kindIn(version),
    { name, namespace: "default" },
    { type: "apply", body: check(name, version), fieldManager: "gitops", force: true },
  );

/** A manager without controllers: webhooks, trust and migration. It dies before or after a write to CRDs or their objects. */
interface Life {
  readonly ended: Promise<void>;
  /** Whether a fault has killed it. */
  readonly isDead: () => boolean;
  stop(): Promise<void>;
}

const isMigrating = ({ method, path }: HttpRequest): boolean =>
  method === "PATCH" && /customresourcedefinitions|machinehealthchecks/.test(path);

/** Which write kills a manager, counted from its start. */
interface Fault {
  readonly when: "before" | "after";
  readonly write: number;
}

async function live(fault?: Fault): Promise<Life> {
  const killed = Promise.withResolvers<void>();
  const lifeline = plane.connect();
  let [isDead, writes] = [false, 0];
  const die = (failure: "refused" | "reset"): never => {
    isDead = true;
    route.endpoints.length = 0;
    killed.resolve();
    throw new TransportError(failure, "killed");
  };
  const request: Transport["request"] = async (asked) => {
    const isFatal = isMigrating(asked) && ++writes === fault?.write;
    if (isDead || (isFatal && fault?.when === "before")) return die("refused");
    const answer = await lifeline.request(asked);
    return isFatal ? die("reset") : answer;
  };
  const server = new WebhookServer({
    env,
    log: silentLogger,
    client: createClient({
      transport: { request, close: () => lifeline.close() },
      env,
      fieldManager: "capstan",
    }),
    namespace: "capstan-system",
    host: "127.0.0.1",
    port: 0,
    settleMs: 0,
    issue: async (hosts) => {
      const authority = await createAuthority(env);
      return { ca: authority.cert, ...(await issueCertificate(env, authority, { type: "server", hosts })) };
    },
    assertMayWrite: () => undefined,
  });
  const starting = server.start().then(() => {
    // As the kubelet and the endpoint controller do: forwarded to only while the readiness probe succeeds.
    const isReady = (): Promise<boolean> => Promise.resolve(!isDead && server.unready().length === 0);
    if (!isDead) route.endpoints.push({ port: server.port ?? 0, isReady });
  });
  return {
    ended: killed.promise,
    isDead: () => isDead,
    stop: async () => {
      isDead = true;
      route.endpoints.length = 0;
      await server.stop();
      await starting.catch(() => undefined);
      await lifeline.close();
    },
  };
}

/** The trust, then each object and the record, each before and after: a manager repeats the writes of those before it. */
const FAULTS: readonly Fault[] = [1, 1, 2, 3, 4].flatMap((write) => [
  { when: "before", write },
  { when: "after", write },
]);

const storedVersions = async (): Promise<unknown> =>
  (await client.get(CustomResourceDefinition, { name: NAME })).status?.storedVersions;

type Shown = readonly { readonly metadata: KubernetesObject["metadata"] }[];

/** The objects in both versions, without what a migration may change. */
async function shown(): Promise<Shown> {
  const lists = await Promise.all([OLDER, NEWER].map((version) => client.list(kindIn(version))));
  return lists.flat().map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => ({
    ...rest,
    metadata: structuredClone(metadata) as KubernetesObject["metadata"],
  }));
}

const withoutOwners = (objects: Shown): Shown =>
  objects.map(({ metadata: { managedFields: _, ...metadata }, ...rest }) => ({ ...rest, metadata }));

/** A cluster as the release before has left it, with webhooks that no manager serves. */
async function storeBefore(): Promise<void> {
  await client.create(Namespace, { metadata: { name: "capstan-system" } });
  await client.create(CustomResourceDefinition, definitionStoring(MachineHealthCheck, before));
  await eventually(async () => expect(await client.list(kindIn(before))).toEqual([]));
  for (const name of NAMES) await apply(name, before);
  for (const manifest of reviews(installation("capstan:before"))) await applyManifest(client, manifest);
}

/** Runs one manager after the other until they are killed; returns the objects as one of them made them readable. */
async function liveThrough(faults: readonly Fault[]): Promise<Shown> {
  let objects: Shown | undefined;
  for (const [life, fault] of faults.entries()) {
    const manager = await live(fault);
    while (!manager.isDead()) {
      await Promise.race([manager.ended, sleep(50)]);
      // Both versions can be read as soon as the trust is written, by the second of them.
      if (life >= 2 && !manager.isDead()) objects ??= await shown().catch(() => undefined);
    }
    await manager.stop();
  }
  return objects ?? [];
}

/** In a soak only: killed-migration.kube.ts kills a real process in the gate. */
const longTest = test.runIf(runsAll);

longTest("an upgrade ends although the manager is killed before and after each of its writes", async () => {
  await storeBefore();
  await expect(client.list(kindIn(stored))).rejects.toThrow(/conversion webhook/);
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const installing = install({ env, transport, say }, { takeOver: false, image: "capstan:test" });
  const objects = await liveThrough(FAULTS);
  await installing;
  expect(lines).toContainEqual("Waiting for the manager to convert objects of 1 CRDs");
  expect(await storedVersions()).toEqual([stored]);
  expect(
    await client.find(CustomResourceDefinition, { name: "conversionprobes.capstan.dev" }),
  ).toBeUndefined();

  const manager = await live();
  expect(objects).toHaveLength(2 * NAMES.length);
  await eventually(async () => expect(await shown()).toEqual(objects));
  await collectsGarbage(client, "after-the-upgrade");
  // The first apply in the other version: nothing is pruned, and no owner is left behind.
  await eventually(() => apply("a", stored).then(() => undefined));
  expect(withoutOwners(await shown())).toEqual(withoutOwners(objects));
  const { metadata } = await client.get(kindIn(stored), { name: "a", namespace: "default" });
  expect(metadata.managedFields).toMatchObject([
    { manager: "gitops", operation: "Apply", apiVersion: `cluster.x-k8s.io/${stored}` },
  ]);
  await manager.stop();
});
