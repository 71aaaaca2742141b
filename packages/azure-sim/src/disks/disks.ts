import { Table } from "../core/table.ts";
import type { ImageFiles } from "../resources/images/image.ts";

/** The key of a disk, and the image it was created from. */
export interface DiskRef {
  readonly key: string;
  readonly image: string;
}

/** The differences from the image below: new contents, or null for a removed file. */
interface Layer {
  readonly image: string;
  readonly files: Record<string, string | null>;
}

/** OS disks as copy-on-write trees of files. A disk without writes takes no space; a copy is one row. */
export class Disks {
  readonly table: Table<Layer>;

  constructor(isStored: boolean) {
    this.table = new Table<Layer>("disk", isStored);
  }

  /** The content of a file; undefined when it does not exist. */
  read(disk: DiskRef, path: string, imageFiles: ImageFiles): string | undefined {
    const content = this.table.get(disk.key)?.files[path];
    return content === undefined ? imageFiles[path] : (content ?? undefined);
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
    const prefix = folder.endsWith("/") ? folder : `${folder}/`;
    return [...this.#names(disk.key, imageFiles)]
      .filter((path) => path === folder || path.startsWith(prefix))
      .sort();
  }

  /** Copies the disk under another key, as it is now. Neither sees later changes of the other. */
  copy(disk: DiskRef, key: string): DiskRef {
    const { image, files } = this.#own(disk);
    this.table.set(key, { image, files: { ...files } });
    return { key, image };
  }

  /** The image that the disk with this key was made from; undefined when there is no such disk. */
  imageOf(key: string): string | undefined {
    return this.table.get(key)?.image;
  }

  /** All files of a disk: what a new image made from it has. */
  contents(disk: DiskRef, imageFiles: ImageFiles): ImageFiles {
    const { files } = this.#own(disk);
    const paths = [...this.#names(disk.key, imageFiles)].sort();
    return Object.fromEntries(paths.map((path) => [path, files[path] ?? imageFiles[path] ?? ""]));
  }

  /** Deletes the disk: the next one with that key starts from its image. Copies stay. */
  discard(key: string): void {
    this.table.delete(key);
  }

  #own(disk: DiskRef): Layer {
    return this.table.get(disk.key) ?? { image: disk.image, files: {} };
  }

  #names(key: string, imageFiles: ImageFiles): ReadonlySet<string> {
    const names = new Set(Object.keys(imageFiles));
    for (const [path, content] of Object.entries(this.table.get(key)?.files ?? {})) {
      if (content === null) names.delete(path);
      else names.add(path);
    }
    return names;
  }
}
