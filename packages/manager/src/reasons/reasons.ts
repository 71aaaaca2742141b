import { AKS_REASONS } from "./aks.ts";
import { AZURE_MACHINE_REASONS } from "./azure-machines.ts";
import { AZURE_REASONS } from "./azure.ts";
import { BOOTSTRAP_REASONS } from "./bootstrap.ts";
import { CLUSTER_REASONS } from "./clusters.ts";
import { CONTROL_PLANE_REASONS } from "./control-planes.ts";
import { IN_PLACE_REASONS } from "./in-place.ts";
import { MACHINE_DEPLOYMENT_REASONS } from "./machine-deployments.ts";
import { MACHINE_REASONS } from "./machines.ts";
import { POOL_REASONS } from "./pools.ts";
import { PROTOTYPE_REASONS } from "./prototypes.ts";

/**
 * Every reason that our controllers give in conditions, outcomes, blocked plans and events. The error codes of Azure and
 * the reasons of the Kubernetes API are not among them. `npm run generate` prints them into docs/reference/reasons.md,
 * and fails if one is missing here or is not given by any controller.
 */
export const REASONS = {
  ...AKS_REASONS,
  ...AZURE_MACHINE_REASONS,
  ...AZURE_REASONS,
  ...BOOTSTRAP_REASONS,
  ...CLUSTER_REASONS,
  ...CONTROL_PLANE_REASONS,
  ...IN_PLACE_REASONS,
  ...MACHINE_DEPLOYMENT_REASONS,
  ...MACHINE_REASONS,
  ...POOL_REASONS,
  ...PROTOTYPE_REASONS,
} as const;
