import { expect, test } from "vitest";
import { EtcdCluster, type EtcdHost, hasEtcdData, hasLocalEtcd } from "./etcd-cluster.ts";

interface TestHost extends EtcdHost {
  isOn: boolean;
}

function hostOf(machineId: string): TestHost {
  const files = new Map<string, string>();
  const disk = {
    read: (path: string) => files.get(path),
    write: (path: string, content: string) => void files.set(path, content),
  } as unknown as NonNullable<ReturnType<EtcdHost["disk"]>>;
  return {
    machineId,
    nodeName: machineId,
    address: `10.0.0.${machineId}`,
    isOn: true,
    disk: () => disk,
    isRunning(): boolean {
      return this.isOn;
    },
    isBalanced: () => true,
  };
}

/** Three machines of a control plane, two of which stop. */
function servesWithOneOfThree(isExternal: boolean): boolean {
  const etcd = new EtcdCluster(() => undefined);
  const hosts = ["1", "2", "3"].map(hostOf);
  const [first, ...others] = hosts;
  if (first) etcd.bootstrap(first, { isExternal });
  for (const host of others) {
    etcd.add(host);
    while (!etcd.joinStep(host));
  }
  expect(hosts.map((host) => hasEtcdData(host.disk() as never))).toEqual([true, true, true]);
  expect(hosts.map((host) => hasLocalEtcd(host.disk() as never))).toEqual(hosts.map(() => !isExternal));
  for (const host of others) {
    host.isOn = false;
    etcd.remove(host.machineId);
  }
  return etcd.isServing();
}

test("a control plane with etcd elsewhere serves while one of its machines runs", () => {
  expect(servesWithOneOfThree(true)).toBe(true);
});

test("a control plane with etcd on its machines needs a quorum of them", () => {
  expect(servesWithOneOfThree(false)).toBe(false);
});
