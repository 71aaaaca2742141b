import {
  AzureMachine,
  ConfigMap,
  isUpdatingInPlace,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  Node,
  olderConditionsOf,
  Pod,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import {
  CLUSTER,
  CONTROL_PLANE,
  endpointOf,
  machinesOf,
  NEW_VERSION,
  untilReady,
} from "../../kit/control-plane-world.ts";
import { MINUTE_MS, patch } from "../../kit/fleet-world.ts";
import { inPlaceControlPlane } from "../../kit/control-plane-in-place-world.ts";

/** The names and ids of everything that an update in place keeps. */
async function identities(world: World): Promise<unknown> {
  const workload = world.workload(CLUSTER);
  const nodes = workload ? await world.run(workload.list(Node)) : [];
  const managed = [];
  for (const kind of [Machine, AzureMachine, KubeadmConfig] as Kind[])
    managed.push(...(await world.run(world.user.list(kind))));
  const objects = [...managed, ...nodes].map(({ kind, metadata: { name, uid } }) => `${kind} ${name} ${uid}`);
  const machines = (await machinesOf(world)).map(({ spec }) => spec.providerID ?? "");
  const vms = world.guests.list().map(({ machineId }) => machineId);
  return [...objects, ...machines, ...vms].toSorted();
}

interface Course {
  readonly longestSilence: number;
  readonly mostUpdating: number;
}

/** Watches the API server and the machines for some minutes, once a second. */
async function course(world: World, minutes: number): Promise<Course> {
  const endpoint = await endpointOf(world);
  const seen = { longestSilence: 0, mostUpdating: 0 };
  let silent = 0;
  for (let seconds = 0; seconds < minutes * 60; seconds++) {
    await world.advance(1000);
    silent = world.etcd.at(endpoint).isServing() ? 0 : silent + 1;
    seen.longestSilence = Math.max(seen.longestSilence, silent);
    if (seconds % 5 > 0) continue;
    const updating = (await machinesOf(world)).filter(isUpdatingInPlace).length;
    seen.mostUpdating = Math.max(seen.mostUpdating, updating);
  }
  return seen;
}

async function versionsIn(world: World): Promise<unknown> {
  const workload = world.workload(CLUSTER);
  if (!workload) return [];
  const nodes = await world.run(workload.list(Node));
  const pods = await world.run(workload.list(Pod, { namespace: "kube-system" }));
  const servers = pods.filter(({ metadata }) => metadata.labels?.["component"] === "kube-apiserver");
  const config = await world.run(
    workload.get(ConfigMap, { namespace: "kube-system", name: "kubeadm-config" }),
  );
  return {
    kubelets: [...new Set(nodes.map(({ status }) => status?.nodeInfo?.kubeletVersion))],
    servers: [...new Set(servers.map(({ spec }) => spec?.containers?.[0]?.image?.split(":").at(-1)))],
    config: /kubernetesVersion: "?(v[0-9.]+)/.exec(config.data?.["ClusterConfiguration"] ?? "")?.[1],
  };
}

test.each([
  ["three machines are upgraded in place one by one, and the API stays", 3, 5],
  ["the only machine is upgraded in place without a second one", 1, 30],
] as const)("%s", async (_, replicas, silence) => {
  const world = await inPlaceControlPlane({ replicas });
  expect(await untilReady(world, replicas)).toBe(true);
  const before = await identities(world);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
  const { longestSilence, mostUpdating } = await course(world, replicas * 4);
  expect(await untilReady(world, replicas)).toBe(true);
  await world.advance(MINUTE_MS);

  expect(await identities(world)).toEqual(before);
  expect(longestSilence).toBeLessThanOrEqual(silence);
  expect(mostUpdating).toBe(1);
  expect(await versionsIn(world)).toEqual({
    kubelets: [NEW_VERSION],
    servers: [NEW_VERSION],
    config: NEW_VERSION,
  });
  for (const { spec, metadata, status } of await machinesOf(world)) {
    expect(spec.updaters).toBeUndefined();
    expect(Object.keys(metadata.annotations ?? {})).toEqual([
      "pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup",
    ]);
    expect(olderConditionsOf({ status })).toContainEqual(
      expect.objectContaining({ type: "UpToDate", status: "True" }),
    );
  }
  const writes = world.testedWrites;
  await world.advance(60 * MINUTE_MS);
  expect(world.testedWrites - writes).toBe(0);
});
