/** A managed cluster that was created or deleted. */
export interface ManagedClusterEvent {
  readonly kind: "created" | "deleted";
  readonly id: string;
}

/** Runs for each such change. */
export type ManagedClusterListener = (event: ManagedClusterEvent) => void;
