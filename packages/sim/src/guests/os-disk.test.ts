import { createRng } from "@capstan/env";
import { describe, expect, test } from "vitest";
import {
  bootIdentity,
  type GuestDisk,
  joinLeftovers,
  kubeletOn,
  readEnd,
  readImages,
  writeBoot,
  writeEnd,
  writeJoin,
} from "./os-disk.ts";

function diskWith(files: Record<string, string> = {}): GuestDisk {
  const contents = new Map(Object.entries(files));
  return { read: (path) => contents.get(path), write: (path, content) => void contents.set(path, content) };
}

const rng = createRng("seed", "disk");

describe("a boot", () => {
  test("keeps the machine id of its disk and has its own boot id", () => {
    const disk = diskWith();
    const first = writeBoot(disk, rng);
    const second = writeBoot(disk, rng);
    expect(first.machineId).toMatch(/^[0-9a-f]{32}$/);
    expect(second.machineId).toBe(first.machineId);
    expect(second.bootId).not.toBe(first.bootId);
    expect(bootIdentity(disk)).toEqual(second);
  });

  test("takes the machine id of an image that was not cleaned", () => {
    expect(writeBoot(diskWith({ "/etc/machine-id": "abc\n" }), rng).machineId).toBe("abc");
  });

  test("has the container images of its OS image, else those of its Kubernetes version", () => {
    const own = diskWith({ "/var/lib/containerd/images.json": '[{"names":["app:1"],"sizeBytes":7}]' });
    const plain = diskWith({ "/etc/kubernetes-version": "v1.34.1\n" });
    for (const disk of [own, plain]) writeBoot(disk, rng);
    expect(readImages(own)).toEqual([{ names: ["app:1"], sizeBytes: 7 }]);
    expect(readImages(plain)[0]?.names).toEqual(["registry.k8s.io/kube-proxy:v1.34.1"]);
  });
});

test("a join leaves files that identify the kubelet and prevent a second join", () => {
  const disk = diskWith();
  expect([kubeletOn(disk), joinLeftovers(disk)]).toEqual([undefined, []]);
  const token = { id: "abcdef", secret: "0123456789abcdef" };
  const taints = [
    { key: "dedicated", value: "batch", effect: "NoSchedule" },
    { key: "example.com/busy", effect: "NoExecute" },
  ];
  const labels = { pool: "blue", "example.com/tier": "" };
  const request = { endpoint: "a:6443", token, caCertHashes: [], taints, labels, kubeletArgs: {} };
  writeJoin(disk, request, { nodeName: "pool000001", rng });
  expect(kubeletOn(disk)).toEqual({ endpoint: "a:6443", nodeName: "pool000001", labels, taints });
  expect(joinLeftovers(disk)).toEqual(["/etc/kubernetes/kubelet.conf", "/etc/kubernetes/pki/ca.crt"]);
});

test("stores the reason why cloud-init ended without a node", () => {
  const disk = diskWith();
  expect(readEnd(disk)).toBeUndefined();
  writeEnd(disk, { reason: "NoJoin", message: "no command" });
  expect(readEnd(disk)).toEqual({ reason: "NoJoin", message: "no command" });
});
