import fc from "fast-check";
import { expect, test } from "vitest";
import { Disks } from "./disks.ts";

const IMAGE = { "/etc/os": "linux", "/usr/bin/kubelet": "v1" };
const disk = { key: "vm/0", image: "ubuntu" };

test("a disk starts with the files of its image, and writes do not change the image", () => {
  const disks = new Disks(false);
  expect(disks.read(disk, "/etc/os", IMAGE)).toBe("linux");
  disks.write(disk, "/etc/os", "changed");
  disks.remove(disk, "/usr", IMAGE);
  expect(disks.read(disk, "/etc/os", IMAGE)).toBe("changed");
  expect(disks.list(disk, "/", IMAGE)).toEqual(["/etc/os"]);
  expect(disks.read({ ...disk, key: "vm/1" }, "/usr/bin/kubelet", IMAGE)).toBe("v1");
});

test("a copy keeps its files when the disk changes", () => {
  const disks = new Disks(false);
  disks.write(disk, "/var/a", "1");
  const snapshot = disks.copy(disk, "snapshot");
  disks.write(disk, "/var/a", "2");
  disks.remove(disk, "/etc/os", IMAGE);
  expect(disks.read(snapshot, "/var/a", IMAGE)).toBe("1");
  expect(disks.list(snapshot, "/etc", IMAGE)).toEqual(["/etc/os"]);
  expect(disks.list(disk, "/", IMAGE)).toEqual(["/usr/bin/kubelet", "/var/a"]);
  disks.discard(disk.key);
  expect(disks.read(disk, "/var/a", IMAGE)).toBeUndefined();
  expect(disks.read(snapshot, "/var/a", IMAGE)).toBe("1");
});

test("a disk with copies reads like a plain map of files", () => {
  const path = fc.constantFrom("/a", "/b", "/c/d", "/etc/os");
  const step = fc.oneof(
    fc.record({ kind: fc.constant("write" as const), path, text: fc.string() }),
    fc.record({ kind: fc.constant("remove" as const), path }),
    fc.record({ kind: fc.constant("snapshot" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const disks = new Disks(false);
      const files = new Map(Object.entries(IMAGE));
      for (const [index, one] of steps.entries()) {
        if (one.kind === "write") {
          disks.write(disk, one.path, one.text);
          files.set(one.path, one.text);
        } else if (one.kind === "remove") {
          disks.remove(disk, one.path, IMAGE);
          files.delete(one.path);
        } else disks.copy(disk, `snapshot-${index}`);
      }
      expect(disks.list(disk, "/", IMAGE)).toEqual([...files.keys()].sort());
      for (const [name, text] of files) expect(disks.read(disk, name, IMAGE)).toBe(text);
    }),
  );
});
