import type { ClusterSpec } from "../../../azure-cluster/spec-view.ts";

/** A field that is not supported yet. */
export interface Unsupported {
  readonly field: string;
  /** The condition that reports it. */
  readonly condition: string;
  readonly message: string;
}

/** The unsupported fields of a spec: ignoring them silently would be worse than a refusal. */
export function unsupportedIn(spec: ClusterSpec): readonly Unsupported[] {
  const { privateDNSZoneName, subnets = [] } = spec.networkSpec ?? {};
  const endpoints = subnets.findIndex(({ privateEndpoints = [] }) => privateEndpoints.length > 0);
  return [
    ...(spec.bastionSpec?.azureBastion
      ? [
          {
            field: "spec.bastionSpec.azureBastion",
            condition: "BastionHostReady",
            message: "Azure Bastion hosts are not supported yet; remove it",
          },
        ]
      : []),
    ...(privateDNSZoneName
      ? [
          {
            field: "spec.networkSpec.privateDNSZoneName",
            condition: "PrivateDNSReady",
            message: `${JSON.stringify(privateDNSZoneName)}: private DNS zones are not supported yet; remove it to use the private address as the endpoint`,
          },
        ]
      : []),
    ...(endpoints >= 0
      ? [
          {
            field: `spec.networkSpec.subnets[${endpoints}].privateEndpoints`,
            condition: "PrivateEndpointsReady",
            message: "private endpoints are not supported yet; remove them",
          },
        ]
      : []),
  ];
}
