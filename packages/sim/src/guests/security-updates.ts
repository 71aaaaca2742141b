import type { MachineDisk } from "@capstan/azure-sim";

/** How security updates are published. */
export interface UpdateSettings {
  /** When the base images were built; updates are published from then on. */
  readonly sinceMs: number;
  readonly perDay: number;
  /** How long the installation of one update delays the first boot. */
  readonly secondsEach: number;
}

/** The same in the words of a user, who knows how old the base images are. */
export interface PublishedUpdates extends Omit<UpdateSettings, "sinceMs"> {
  readonly imageAgeMs: number;
}

/** The settings for base images that have their age at a moment. */
export function updatesSince({ imageAgeMs, ...rest }: PublishedUpdates, nowMs: number): UpdateSettings {
  return { ...rest, sinceMs: nowMs - imageAgeMs };
}

type UpdatedDisk = Pick<MachineDisk, "read" | "write">;

/** The file with the number of updates that are installed: updates are numbered from 1 in the order of their publication. */
const INSTALLED = "/var/lib/dpkg/security-updates";
const DAY_MS = 24 * 3600 * 1000;

/** How many updates are installed on a disk. */
export function installedUpdates(disk: UpdatedDisk): number {
  return Number(disk.read(INSTALLED) ?? "0");
}

/** The security updates at one moment. A machine installs what is pending at each boot, and every day while it runs. */
export class SecurityUpdates {
  readonly #settings: UpdateSettings | undefined;
  readonly #nowMs: number;

  constructor(settings: UpdateSettings | undefined, nowMs: number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** How many updates a disk lacks. */
  pending(disk: UpdatedDisk): number {
    return Math.max(0, this.#published(this.#nowMs) - installedUpdates(disk));
  }

  /** How long their installation takes. */
  pendingMs(disk: UpdatedDisk): number {
    return this.pending(disk) * (this.#settings?.secondsEach ?? 0) * 1000;
  }

  /** Installs everything that is published. */
  install(disk: UpdatedDisk): void {
    this.#write(disk, this.#published(this.#nowMs));
  }

  /**
   * Writes what a running machine has installed by itself: unattended upgrades run at the end of each day. The file is written
   * only when the disk is looked at, because a timer for each of 30,000 machines would cost too much.
   */
  installedSoFar(disk: UpdatedDisk): void {
    this.#write(disk, this.#published(Math.floor(this.#nowMs / DAY_MS) * DAY_MS));
  }

  #published(byMs: number): number {
    if (!this.#settings) return 0;
    const { sinceMs, perDay } = this.#settings;
    return Math.max(0, Math.floor(((byMs - sinceMs) / DAY_MS) * perDay));
  }

  #write(disk: UpdatedDisk, count: number): void {
    if (count > installedUpdates(disk)) disk.write(INSTALLED, String(count));
  }
}
