/** The field manager of MachineDeployments in Cluster API: after a take-over, the fields keep their owner. */
export const DEPLOYMENT_FIELD_MANAGER = "capi-machinedeployment";
