import type { AzureState } from "../core/azure-state.ts";
import { diskKey } from "../resources/scale-sets/instance-effects.ts";
import type { ImageFiles } from "../resources/images/image.ts";
import type { DiskRef, Disks } from "./disks.ts";

/** The OS disk of one instance, as its guest sees it. */
export class InstanceDisk {
  readonly #disks: Disks;
  readonly #disk: DiskRef;
  readonly #imageFiles: ImageFiles;

  constructor(disks: Disks, disk: DiskRef, imageFiles: ImageFiles) {
    this.#disks = disks;
    this.#disk = disk;
    this.#imageFiles = imageFiles;
  }

  read(path: string): string | undefined {
    return this.#disks.read(this.#disk, path, this.#imageFiles);
  }

  write(path: string, content: string): void {
    this.#disks.write(this.#disk, path, content);
  }

  remove(path: string): void {
    this.#disks.remove(this.#disk, path, this.#imageFiles);
  }

  list(folder: string): readonly string[] {
    return this.#disks.list(this.#disk, folder, this.#imageFiles);
  }

  /** Freezes the disk as it is now under a name of its own. */
  snapshot(name: string): DiskRef {
    return this.#disks.snapshot(this.#disk, name);
  }
}

/** The disk of an instance; undefined when there is no such instance. After a re-image it is another one. */
export function instanceDisk(
  world: AzureState,
  scaleSetId: string,
  instanceId: string,
): InstanceDisk | undefined {
  const instance = world.scaleSets.members(scaleSetId).get(Number(instanceId));
  if (!instance) return undefined;
  const disk: DiskRef = { key: diskKey(instance), image: instance.image };
  return new InstanceDisk(world.disks, disk, world.images.byName(instance.image)?.files ?? {});
}
