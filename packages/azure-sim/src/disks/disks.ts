import { Table } from "../core/table.ts";
import type { ImageFiles } from "../resources/images/image.ts";

/** The key of a disk, and the image it was created from. */
export interface DiskRef {
  readonly key: string;
  readonly image: string;
}

/** The differences from the layer below: new contents, or null for a removed file. */
interface Layer {
  /** The key of the snapshot below; undefined means that the image is below. */
  readonly below?: string;
  readonly image: string;
  readonly files: Record<string, string | null>;
}

/** OS disks as copy-on-write trees of files. A disk without writes takes no space; a snapshot is one row. */
export class Disks {
  readonly table: Table<Layer>;

  constructor(isStored: boolean) {
    this.table = new Table<Layer>("disk", isStored);
  }

  /** The content of a file; undefined when it does not exist. */
  read(disk: DiskRef, path: string, imageFiles: ImageFiles): string | undefined {
    for (let layer = this.table.get(disk.key); layer; layer = this.#below(layer)) {
      const content = layer.files[path];
      if (content !== undefined) return content ?? undefined;
    }
    return imageFiles[path];
  }

  write(disk: DiskRef, path: string, content: string): void {
    const layer = this.#own(disk);
    layer.files[path] = content;
    this.table.set(disk.key, layer);
  }

  /** Removes a file, or everything below a folder. */
  remove(disk: DiskRef, path: string, imageFiles: ImageFiles): void {
    const layer = this.#own(disk);
    for (const name of this.list(disk, path, imageFiles)) layer.files[name] = null;
    this.table.set(disk.key, layer);
  }

  /** The sorted paths of the file, or of all files below the folder. */
  list(disk: DiskRef, folder: string, imageFiles: ImageFiles): readonly string[] {
    const seen = new Map<string, boolean>();
    for (let layer = this.table.get(disk.key); layer; layer = this.#below(layer)) {
      for (const [path, content] of Object.entries(layer.files))
        if (!seen.has(path)) seen.set(path, content !== null);
    }
    for (const path of Object.keys(imageFiles)) if (!seen.has(path)) seen.set(path, true);
    const prefix = folder.endsWith("/") ? folder : `${folder}/`;
    return [...seen]
      .filter(([path, isThere]) => isThere && (path === folder || path.startsWith(prefix)))
      .map(([path]) => path)
      .sort();
  }

  /** Freezes the disk under another key and starts a new layer above it. */
  snapshot(disk: DiskRef, name: string): DiskRef {
    this.table.set(name, this.table.get(disk.key) ?? { image: disk.image, files: {} });
    this.table.set(disk.key, { below: name, image: disk.image, files: {} });
    return { key: name, image: disk.image };
  }

  /** Deletes the disk: the next one with that key starts from its image. Snapshots stay. */
  discard(key: string): void {
    this.table.delete(key);
  }

  #own(disk: DiskRef): Layer {
    return this.table.get(disk.key) ?? { image: disk.image, files: {} };
  }

  #below({ below }: Layer): Layer | undefined {
    return below === undefined ? undefined : this.table.get(below);
  }
}
