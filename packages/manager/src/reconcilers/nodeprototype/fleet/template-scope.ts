import {
  AzureCluster,
  AzureMachineTemplate,
  Cluster,
  deepEqual,
  type Features,
  type Frozen,
  isPausedByAnnotation,
  KubeadmControlPlane,
  MachineDeployment,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_VERSION_ANNOTATION,
  templatePrototypingOf,
} from "@capstan/api";
import { type CacheReader, type Context, type Editable, block, next, type Outcome } from "@capstan/runtime";
import { digest, lazyArm } from "@capstan/azure";
import { armClientFor, subscriptionOf } from "../../../azure-cluster/arm-client.ts";
import { azureClusterNameOf, templateClusterOf } from "../../../azure-cluster/members.ts";
import { clusterGroupOf, clusterPlanOf, groupID, locationOf } from "../../../azure-cluster/spec-view.ts";
import { bootImageOf } from "@capstan/plan";
import { baseKeyOf } from "../../../virtual-machine/image-reference.ts";
import { BY_INFRASTRUCTURE, templateKeyOf } from "../indexes.ts";
import {
  CONTROLLER,
  imagesIn,
  type PrototypePlace,
  recordOf,
  type Scope,
  type Shared,
  whyOff,
} from "../scope.ts";
import { referenceKeyOf, refusalOf, templateFleet, USERS_OF_TEMPLATE, usersOf } from "./template-fleet.ts";

/** One pass over the images of one AzureMachineTemplate. */
export interface TemplateScope extends Scope {
  readonly template: Editable<AzureMachineTemplate>;
}

/** Finds the Cluster and the machines of a template and the place of its images, from the cache alone. */
export function templateScope(shared: Shared, context: Context<AzureMachineTemplate>): TemplateScope {
  const { object: template, cache } = context;
  const { namespace = "" } = template.metadata;
  const clusterName = templateClusterOf(template) ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const azureCluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  const fleet = templateFleet(context);
  const settings = templatePrototypingOf(template);
  const place = { azureCluster, clusterName, version: fleet.version ?? "" };
  return {
    context,
    shared,
    template,
    owner: template,
    ownerKind: AzureMachineTemplate,
    ownerKey: templateKeyOf(template),
    fleet,
    cluster,
    clusterKey: `${namespace}/${clusterName}`,
    settings,
    offBecause: whyOffFor(template, cache, shared.ports.features),
    isPaused:
      [template, ...usersOf(template, cache)].some(isPausedByAnnotation) || cluster?.spec.paused === true,
    isDeleting: template.metadata.deletionTimestamp !== undefined,
    azure: placeOf(shared, context, place),
  };
}

const FIELD = "spec.template.spec.nodeCachingMode or the annotation nodeCachingInterval";

function whyOffFor(
  template: Frozen<AzureMachineTemplate>,
  cache: CacheReader,
  features: Features,
): string | undefined {
  const byInfrastructure = { index: BY_INFRASTRUCTURE, value: templateKeyOf(template) };
  const byTemplate = { index: USERS_OF_TEMPLATE, value: referenceKeyOf(template) };
  const refusal = refusalOf(template, {
    controlPlanes: cache.list(KubeadmControlPlane, byInfrastructure),
    deployments: cache.list(MachineDeployment, byTemplate),
  });
  if (refusal !== undefined) return refusal;
  return whyOff(templatePrototypingOf(template), features, FIELD);
}

function placeOf(
  shared: Shared,
  { object: template, cache }: Context<AzureMachineTemplate>,
  facts: {
    readonly azureCluster: Frozen<AzureCluster> | undefined;
    readonly clusterName: string;
    readonly version: string;
  },
): PrototypePlace | undefined {
  const { azureCluster, clusterName, version } = facts;
  if (!azureCluster) return undefined;
  const subscriptionID = subscriptionOf(shared.ports, azureCluster);
  const plan = clusterPlanOf({ azureCluster, clusterName, subscriptionID });
  const group = groupID(plan, clusterGroupOf(plan));
  const request = { cluster: azureCluster, cache, controller: CONTROLLER };
  // A pool of the same name and image has another definition.
  const base = digest({ kind: template.kind, base: baseKeyOf(template.spec.template.spec.image, version) });
  const place = { plan, groupID: group, base };
  return {
    ...lazyArm(() => armClientFor(shared.ports, request)),
    ...place,
    ...imagesIn(place, template.metadata.name),
    location: locationOf(azureCluster),
    machinesID: `${group}/providers/Microsoft.Compute/virtualMachines`,
  };
}

/**
 * Writes the image that new machines boot from to the annotations of the template, where the MachineSet controller reads it
 * when it clones the template.
 */
export function annotateImage(scope: TemplateScope): Outcome {
  const { template, isDeleting } = scope;
  const annotations = annotationsFor(scope);
  if (!annotations || deepEqual(annotations, template.metadata.annotations ?? {})) return next;
  template.metadata.annotations = annotations;
  // Images are deleted in a later pass, when the annotation is gone from the server.
  return isDeleting ? block(0, "AnnotatingImage") : next;
}

/** The annotations of the template as they should be; undefined while that is not known. */
function annotationsFor(scope: TemplateScope): Record<string, string> | undefined {
  const { template, offBecause, isDeleting, azure, fleet } = scope;
  const { annotations = {} } = template.metadata;
  const { [PROTOTYPE_IMAGE_ANNOTATION]: _, [PROTOTYPE_VERSION_ANNOTATION]: __, ...others } = annotations;
  if (offBecause !== undefined || isDeleting) return others;
  // A status that was lost is rebuilt first, and without users the version of new machines is not known.
  if (!azure || !template.status?.nodePrototyping || fleet.version === undefined) return undefined;
  const record = recordOf(scope);
  const image = bootImageOf({ isOn: true, record, base: azure.base, tagged: undefined });
  if (!image) return others;
  return {
    ...others,
    [PROTOTYPE_IMAGE_ANNOTATION]: image.id,
    [PROTOTYPE_VERSION_ANNOTATION]: fleet.version,
  };
}
