import { CommandError } from "../command-error.ts";

/** A pool as the user named it, with or without its kind, and its namespace. */
export interface PoolName {
  readonly name: string;
  readonly namespace: string;
}

/** The kinds that can name a pool. */
export type KindOfPool = "pool" | "machinePool";

/** The words for them, in lower case. */
export const KINDS_OF_POOLS: Readonly<Record<string, KindOfPool>> = {
  azuremachinepool: "pool",
  azuremachinepools: "pool",
  amp: "pool",
  machinepool: "machinePool",
  machinepools: "machinePool",
  mp: "machinePool",
};

/** The namespace of the flag, and whether the user set it. */
interface NamespaceFlag {
  readonly namespace: string;
  readonly isWritten: boolean;
}

/** Splits NAMESPACE/NAME, the form in which our output names pools; the word for a kind is not a namespace. */
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
