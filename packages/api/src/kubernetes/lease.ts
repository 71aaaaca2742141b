import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** A lease that its holder renews. */
export interface Lease extends KubernetesObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number;
    /** With microseconds. */
    acquireTime?: string | null;
    /** With microseconds. */
    renewTime?: string | null;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
}

/** A lease that its holder renews. */
export const Lease = builtInKind<Lease>({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
});
