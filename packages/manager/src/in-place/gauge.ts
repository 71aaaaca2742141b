import {
  type Frozen,
  hasUpdateFailed,
  isUpdatingInPlace,
  type KubernetesObject,
  type Machine,
} from "@capstan/api";
import type { Gauge } from "@capstan/runtime";

/** Counts the machines of an owner that updaters work on, and those whose update has failed. */
export function countUpdates(
  gauge: Gauge | undefined,
  { metadata: { namespace = "", name } }: Pick<Frozen<KubernetesObject>, "metadata">,
  machines: readonly Frozen<Machine>[],
): void {
  const all = machines.filter(isUpdatingInPlace);
  const failed = all.filter(hasUpdateFailed).length;
  gauge?.set([namespace, name, "Updating"], all.length - failed);
  gauge?.set([namespace, name, "Failed"], failed);
}
