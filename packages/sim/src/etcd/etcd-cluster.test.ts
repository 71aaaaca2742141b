import { expect, test } from "vitest";
import { EtcdCluster, type EtcdHost } from "./etcd-cluster.ts";

/** A machine of a control plane with a disk in memory. */
function machine(name: string): EtcdHost & { isUp: boolean } {
  const files = new Map<string, string>();
  return {
    machineId: name,
    nodeName: name,
    address: name,
    isUp: true,
    disk: () => ({
      read: (path) => files.get(path),
      write: (path, text) => void files.set(path, String(text)),
    }),
    isRunning() {
      return this.isUp;
    },
    isBalanced: () => true,
  };
}

/** Three machines that have joined, and how many of them still run. */
function controlPlane({ isExternal, running }: { readonly isExternal: boolean; readonly running: number }) {
  const etcd = new EtcdCluster(() => undefined);
  const machines = [machine("m1"), machine("m2"), machine("m3")];
  for (const one of machines) etcd.add(one);
  for (const [index, one] of machines.entries()) {
    if (index === 0) etcd.bootstrap(one, { isExternal });
    else for (let steps = 0; steps < 4 && !etcd.joinStep(one); steps++);
    etcd.add(one);
  }
  for (const one of machines) etcd.add(one);
  for (const one of machines.slice(running)) one.isUp = false;
  return etcd;
}

test.each([
  ["etcd on its machines", false, 2, true],
  ["etcd on its machines", false, 1, false],
  ["etcd elsewhere", true, 1, true],
  ["etcd elsewhere", true, 0, false],
])(
  "a control plane with %s (external: %s) and %i running machines answers: %s",
  (_, isExternal, running, isServing) => {
    expect(controlPlane({ isExternal, running }).isServing()).toBe(isServing);
  },
);

test("a file that all machines have is read from a disk that still exists", () => {
  const etcd = new EtcdCluster(() => undefined);
  const [first, second] = [machine("m1"), machine("m2")];
  second.disk()?.write("/pki/ca.key", "key");
  etcd.add(first);
  expect(etcd.sharedFile("/pki/ca.key")).toBeUndefined();
  etcd.add(second);
  expect([etcd.sharedFile("/pki/ca.key"), etcd.isAbandoned()]).toEqual(["key", false]);
  etcd.remove("m1");
  etcd.remove("m2");
  expect([etcd.sharedFile("/pki/ca.key"), etcd.isAbandoned()]).toEqual([undefined, true]);
});
