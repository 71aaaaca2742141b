/** The name of the Secret with which Azure Service Operator logs in for the resources of a cluster. */
export function asoSecretName(clusterName: string): string {
  return `${clusterName}-aso-secret`;
}
