import type { Frozen } from "@capstan/api";

/** The readiness of an infrastructure object, in the fields of both versions of Cluster API's contract. */
interface Readiness {
  /** Contract v1beta1: whether the object is ready now. */
  readonly ready?: boolean;
  /** Contract v1beta2: whether it has been ready once. */
  readonly initialization?: { readonly provisioned?: boolean };
}

/**
 * The fields of both contracts, from one decision. The newer field never goes back: Cluster API lets machines start because
 * of it, and learns of later trouble from the conditions. Until it is true, it is left out.
 */
export function readinessFields(
  before: Frozen<Readiness> | undefined,
  isReady: boolean,
): { ready: boolean; initialization?: { provisioned: boolean } } {
  const isProvisioned = isReady || before?.ready === true || before?.initialization?.provisioned === true;
  return { ready: isReady, ...(isProvisioned && { initialization: { provisioned: true } }) };
}
