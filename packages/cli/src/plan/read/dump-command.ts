/** The command that prints everything that a dump should have. */
export const DUMP_COMMAND =
  "kubectl get machinepools,azuremachinepools,azuremachinepoolmachines,clusters,azureclusters -o yaml";
