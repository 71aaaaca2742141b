/** The first worked example of the proposal for updates in place, from a change of the control plane to its end. */
import { KubeadmControlPlane } from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { defineUpdater, done, inProgress, kubeadmUpgrade, type Updater } from "@capstan/updater";
import { expect, test } from "vitest";
import { machineIn, optionsWith, prepareInPlace } from "../../kit/control-plane-in-place-world.ts";
import { CONTROL_PLANE, machinesOf, untilReady } from "../../kit/control-plane-world.ts";
import { patch } from "../../kit/fleet-world.ts";
import { hostOf, register } from "../../kit/in-place-world.ts";
import {
  type Exchange,
  expectPrinted,
  printedQuestion,
  printedUpdate,
  recording,
} from "../../kit/printed-exchanges.ts";

const BEFORE = "v1.30.0";
const AFTER = "v1.31.0";

/** The image of Cluster API for a version, which the simulated Azure does not have for such old ones. */
function imageOf(version: string) {
  const number = version.slice(1);
  return {
    kind: "community",
    definition: "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/capi-ubun2-2404",
    version: number,
    files: { "/etc/kubernetes-version": `${version}\n`, "/usr/bin/kubeadm": `kubeadm ${version}\n` },
  } as const;
}

/** The printed paths, and no other. */
const CHANGES = ["machine.spec.version", "bootstrap.spec.clusterConfiguration.kubernetesVersion"];

const memory = defineUpdater({
  name: "vsphere-vm-memory-update",
  canUpdate: ({ changes }) => changes.filter((path) => path === "infraMachine.spec.memoryMiB"),
  update: () => done(),
});

/** Updates packages by an agent in the machine, and runs `kubeadm upgrade`; the first call starts it. */
function versions(current: () => World | undefined): Updater {
  const started = new Set<string>();
  const agent = kubeadmUpgrade({
    readMachine: (namespace, name) => Promise.resolve(machineIn(current(), namespace, name)),
    runScript: (id, script) =>
      Promise.resolve(current()?.guests.run(id, script) ?? { exitCode: 1, output: "", error: "no machine" }),
  });
  return defineUpdater({
    name: "kcp-version-upgrade",
    canUpdate: ({ changes }) => changes.filter((path) => CHANGES.includes(path)),
    update: async (request) => {
      const result = await agent.update(request);
      if (started.has(request.machine.name)) return result;
      started.add(request.machine.name);
      return { ...inProgress(300), tryAgain: "5m0s" };
    },
  });
}

test("KCP kubernetes version update: three machines, asked and updated one by one, by the printed messages", async () => {
  const exchanges: Exchange[] = [];
  const made: { world?: World } = {};
  const updaters = [memory, versions(() => made.world)];
  const world = await createWorld({
    seed: "1",
    ...optionsWith(() => made.world),
    azure: { images: [imageOf(BEFORE), imageOf(AFTER)] },
    servers: Object.fromEntries(
      updaters.map((updater) => [hostOf(updater.name), () => recording(exchanges, updater)]),
    ),
  });
  made.world = world;
  world.start();
  for (const { name } of updaters) {
    await register(world, name);
    await world.advance(2_000);
  }
  await prepareInPlace(world, { replicas: 3, version: BEFORE });
  expect(await untilReady(world, 3)).toBe(true);
  const before = await machinesOf(world);

  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: AFTER } });
  await world.advance(60_000);
  expect(await untilReady(world, 3)).toBe(true);

  const after = await machinesOf(world);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  expect(after.map(({ status }) => status?.nodeInfo?.kubeletVersion)).toEqual([AFTER, AFTER, AFTER]);
  const order = [
    ...new Set(
      exchanges.flatMap(({ hook, request }) =>
        hook === "UpdateMachine" ? [(request["machine"] as { name: string }).name] : [],
      ),
    ),
  ];
  expect(order.toSorted()).toEqual(before.map(({ metadata }) => metadata.name).toSorted());
  const questions = before.flatMap(() => [
    printedQuestion("vsphere-vm-memory-update", CHANGES, []),
    printedQuestion("kcp-version-upgrade", CHANGES, CHANGES),
  ]);
  expectPrinted(exchanges, [
    ...questions,
    ...order.flatMap((name) => printedUpdate("kcp-version-upgrade", name)),
  ]);
});
