import { keyOf } from "../arm/target.ts";
import type { AzureState } from "../core/azure-state.ts";
import type { ImageFiles } from "../resources/images/image.ts";
import type { DiskRef, Disks } from "./disks.ts";

/** The OS disk of one machine, as its guest sees it. */
export class MachineDisk {
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
}

/** The disk of a machine; undefined when the machine does not exist. A re-image replaces the disk. */
export function machineDisk(world: AzureState, id: string): MachineDisk | undefined {
  const record = world.machines.record(keyOf(id));
  if (!record) return undefined;
  const disk: DiskRef = { key: record.machineId, image: record.image };
  return new MachineDisk(world.disks, disk, world.images.byName(record.image)?.files ?? {});
}
