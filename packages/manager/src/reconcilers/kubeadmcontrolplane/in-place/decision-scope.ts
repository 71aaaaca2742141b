import type { Clock } from "@capstan/env";
import type { ObjectReader } from "../../../contract/resolve.ts";
import type { KubeadmControlPlanePorts, Scope } from "../scope.ts";

/** The part of a pass that decides about updates in place; `capstan plan` has it too, without a controller. */
export interface DecisionScope extends Pick<Scope, "controlPlane" | "machines"> {
  readonly context: ObjectReader & { readonly env: { readonly clock: Pick<Clock, "now"> } };
  readonly shared: { readonly ports: Pick<KubeadmControlPlanePorts, "updaters" | "features"> };
}
