import type { World } from "../core/world.ts";
import { diskKey } from "../resources/scale-sets/instance-effects.ts";
import type { DiskRef } from "./disks.ts";

/** The OS disk of one instance, as its guest sees it. */
export interface InstanceDisk {
  read(path: string): string | undefined;
  write(path: string, content: string): void;
  remove(path: string): void;
  list(folder: string): readonly string[];
  /** Freezes the disk as it is now under a name of its own. */
  snapshot(name: string): DiskRef;
}

/** The disk of an instance; undefined when there is no such instance. After a re-image it is another one. */
export function instanceDisk(world: World, scaleSetId: string, instanceId: string): InstanceDisk | undefined {
  const instance = world.scaleSets.members(scaleSetId).get(Number(instanceId));
  if (!instance) return undefined;
  const { disks } = world;
  const files = world.images.byName(instance.image)?.files ?? {};
  const disk: DiskRef = { key: diskKey(instance), image: instance.image };
  return {
    read: (path) => disks.read(disk, path, files),
    write: (path, content) => disks.write(disk, path, content),
    remove: (path) => disks.remove(disk, path, files),
    list: (folder) => disks.list(disk, folder, files),
    snapshot: (name) => disks.snapshot(disk, name),
  };
}
