import { CommandError } from "../command-error.ts";

/** A pool that a user named, with or without its kind, and where. */
export interface PoolName {
  readonly name: string;
  readonly namespace: string;
}

/** The kinds that a pool may be named by. */
export type KindOfPool = "pool" | "machinePool";

/** The words for them, in small letters. */
export const KINDS_OF_POOLS: Readonly<Record<string, KindOfPool>> = {
  azuremachinepool: "pool",
  azuremachinepools: "pool",
  amp: "pool",
  machinepool: "machinePool",
  machinepools: "machinePool",
  mp: "machinePool",
};

/** The namespace of the flag, and whether somebody wrote it there. */
interface NamespaceFlag {
  readonly namespace: string;
  readonly isWritten: boolean;
}

/** Takes NAMESPACE/NAME apart, which is how pools are called in what we print; a word for a kind is no namespace. */
export function poolNamed(given: string, flag: NamespaceFlag): PoolName {
  const [namespace = "", name = "", ...more] = given.split("/");
  const isPlaced = name !== "" && more.length === 0 && !(namespace.toLowerCase() in KINDS_OF_POOLS);
  if (!isPlaced || namespace === "") return { name: given, namespace: flag.namespace };
  if (flag.isWritten && flag.namespace !== namespace) {
    throw new CommandError(
      `${JSON.stringify(given)} is in namespace ${namespace}, but -n says ${flag.namespace}; leave one of them out`,
    );
  }
  return { name, namespace };
}
