import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import { type Static, integer, listMap, object, optional, string } from "../schema/schema.ts";
import { deepCopy } from "../values/deep-copy.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, errorIf, forbidden } from "../values/field-error.ts";
import type { AzureCluster } from "./azure-cluster/azure-cluster.ts";
import { defaultAzureCluster } from "./azure-cluster/defaults.ts";
import { azureClusterErrors } from "./azure-cluster/rules.ts";
import { specFields } from "./azure-cluster/schema.ts";
import { subnetClassFields, vnetClassFields } from "./azure-cluster/subnet.ts";
import { AZURE_CLUSTER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { isTopologyDryRun } from "./immutable.ts";

const LoadBalancerClass = object("A load balancer of each cluster.", {
  sku: optional(string("Its tier. Only Standard is supported.")),
  type: optional(string("Public or Internal.")),
  idleTimeoutInMinutes: optional(integer("How many minutes an idle connection is kept, 4 to 30.")),
});

const SubnetClass = object("A subnet of each cluster.", subnetClassFields);

// What belongs to one cluster alone, such as names of resources and addresses, is not part of it.
const {
  resourceGroup: _,
  networkSpec: __,
  bastionSpec: ___,
  controlPlaneEnabled: ____,
  ...shared
} = specFields;

const ClusterSpec = object("The desired state of the infrastructure of each cluster.", {
  ...shared,
  networkSpec: optional(
    object("The network of each cluster.", {
      vnet: optional(object("The virtual network.", vnetClassFields)),
      subnets: optional(listMap("Its subnets.", SubnetClass, { keys: ["name"] })),
      apiServerLB: optional(LoadBalancerClass),
      nodeOutboundLB: optional(LoadBalancerClass),
      controlPlaneOutboundLB: optional(LoadBalancerClass),
      privateDNSZoneName: optional(string("The name of the private DNS zone.")),
    }),
  ),
  bastionSpec: optional(
    object("Access for users.", {
      azureBastion: optional(
        object("An Azure Bastion host. Not supported yet.", { subnet: optional(SubnetClass) }),
      ),
    }),
  ),
});

const Spec = object("The desired state of the template.", {
  template: object("The template of AzureClusters.", {
    metadata: optional(TemplateMetadata),
    spec: ClusterSpec,
  }),
});

type Template = CustomObject<Static<typeof Spec>, unknown>;

/** The template of the AzureClusters of a ClusterClass. */
export const AzureClusterTemplate = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureClusterTemplate",
  plural: "azureclustertemplates",
  description: "The template of the AzureClusters of a ClusterClass.",
  spec: Spec,
  // Core makes AzureClusters of the version of the template: each version follows a contract, as those of AzureCluster do.
  alsoServed: ["v1beta2"],
  crdLabels: AZURE_CLUSTER_LABELS,
  validate,
});

/** The template of the AzureClusters of a ClusterClass. */
export type AzureClusterTemplate = ObjectOf<typeof AzureClusterTemplate>;

const PATH = "spec.template.spec";

function validate(request: AdmissionRequest<Template>): readonly FieldError[] {
  const { object: template, old } = request;
  return [
    ...clusterErrors(template),
    ...errorIf(
      old && !isTopologyDryRun(request) && !deepEqual(old.spec.template.spec, template.spec.template.spec),
      forbidden(PATH, "cannot change: clusters were created from it; create a new template and refer to it"),
    ),
  ];
}

/** What would be refused in a cluster of the template. Its identity may come from a variable of the ClusterClass. */
function clusterErrors({ spec: { template } }: Frozen<Template>): readonly FieldError[] {
  const cluster = {
    metadata: { name: "cluster" },
    spec: deepCopy(template.spec),
  } as unknown as AzureCluster;
  defaultAzureCluster(cluster);
  return azureClusterErrors({ object: cluster })
    .filter(({ field }) => field !== "spec.identityRef" || template.spec.identityRef !== undefined)
    .map((error) => ({ ...error, field: error.field.replace(/^spec/, PATH) }));
}
