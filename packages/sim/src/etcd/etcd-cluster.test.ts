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
      write: (path, text) => void files.set(path, text),
    }),
    isRunning() {
      return this.isUp;
    },
    isBalanced: () => true,
  };
}

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
