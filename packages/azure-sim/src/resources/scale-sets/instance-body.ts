import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, textAt } from "../../json.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { interfacesOf } from "./desired.ts";
import { isLatest } from "./instance-effects.ts";
import { withoutSecrets } from "./models.ts";
import { type Instance, type Model, modelOf, type ScaleSet } from "./scale-sets.ts";
import { osDiskName } from "../snapshots/os-disk-id.ts";
import { statusesOf } from "../../machines/status-codes.ts";

/** What the body of an instance is built from. */
export interface InstanceContext {
  readonly world: AzureState;
  readonly resource: Resource;
  readonly set: ScaleSet;
  /** Whether to include the instance view: `$expand=instanceView`. */
  readonly isExpanded: boolean;
}

/** The ARM id of an instance. */
export function instanceId(set: ScaleSet, instance: Instance): string {
  return `${set.id}/virtualMachines/${instance.id}`;
}

/** The computer name: the prefix of the set and the instance id in base 36, six digits long. */
export function computerName(model: Model, instance: Instance): string {
  const prefix = textAt(model.profile, "osProfile", "computerNamePrefix") ?? "vm";
  return `${prefix}${instance.id.toString(36).toUpperCase().padStart(6, "0")}`;
}

/** An instance as Compute shows it. */
export function instanceBody(context: InstanceContext, instance: Instance): JsonObject {
  const { resource, set } = context;
  const model = modelOf(set, instance);
  const profile = withoutSecrets(model.profile);
  return {
    name: `${resource.name}_${instance.id}`,
    id: instanceId(set, instance),
    type: "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    location: set.location,
    instanceId: String(instance.id),
    tags: tagsOf(resource, instance),
    ...(instance.zone !== undefined && { zones: [instance.zone] }),
    sku: { name: model.size, tier: "Standard" },
    etag: `"${instance.flight}"`,
    properties: {
      latestModelApplied: isLatest(set, instance),
      modelDefinitionApplied: "VirtualMachineScaleSet",
      networkProfileConfiguration: { networkInterfaceConfigurations: interfacesOf(profile) },
      networkProfile: {
        networkInterfaces: interfacesOf(profile).map((one) => ({
          id: `${instanceId(set, instance)}/networkInterfaces/${textAt(one, "name")}`,
        })),
      },
      hardwareProfile: {},
      storageProfile: storageProfile(context, { instance, model, profile }),
      osProfile: osProfile({ instance, model, profile }),
      ...(profile["diagnosticsProfile"] !== undefined && {
        diagnosticsProfile: profile["diagnosticsProfile"],
      }),
      ...(profile["securityProfile"] !== undefined && { securityProfile: profile["securityProfile"] }),
      ...objectAt(instance.own, "properties"),
      vmId: instance.vmId,
      timeCreated: new Date(instance.createdMs).toISOString(),
      provisioningState: instance.state,
      ...(context.isExpanded && { instanceView: instanceView(context, instance) }),
    },
  };
}

/** The instance's own tags, else those of its set. */
function tagsOf({ body }: Resource, { own }: Instance): unknown {
  return own?.["tags"] ?? body["tags"] ?? {};
}

/**
 * The JSON of each instance. Tags are added on each read: most writes of a set change its tags, and all its instances show
 * them.
 */
export function instanceTexts(context: InstanceContext, instances: readonly Instance[]): string[] {
  const { resource } = context;
  const ofSet = { tags: resource.body["tags"], text: JSON.stringify(resource.body["tags"]) };
  return instances.map((instance) => {
    const tags = tagsOf(resource, instance);
    const text = tags === ofSet.tags ? ofSet.text : JSON.stringify(tags);
    return `{"tags":${text},${textWithoutTags(context, instance)}`;
  });
}

/** The JSON after the tags, cached until it changes: few of a thousand instances change between two lists. */
function textWithoutTags(context: InstanceContext, instance: Instance): string {
  const { set, isExpanded } = context;
  const { texts } = context.world.scaleSets;
  const { modelVersion } = set;
  const kept = texts.get(instance);
  if (kept?.modelVersion === modelVersion && kept.isExpanded === isExpanded) return kept.text;
  const { tags: _, ...rest } = instanceBody(context, instance);
  const text = JSON.stringify(rest).slice(1);
  texts.set(instance, { text, modelVersion, isExpanded });
  return text;
}

interface Parts {
  readonly instance: Instance;
  readonly model: Model;
  readonly profile: JsonObject;
}

function storageProfile({ world, resource }: InstanceContext, { instance, profile }: Parts): unknown {
  const image = world.images.byName(instance.image);
  const disk = objectAt(profile, "storageProfile", "osDisk");
  const name = osDiskName(resource.name, instance);
  const group = resource.id.split("/").slice(0, 5).join("/");
  return {
    imageReference: {
      ...objectAt(profile, "storageProfile", "imageReference"),
      ...(image?.version !== undefined && { exactVersion: image.version }),
    },
    osDisk: {
      osType: image?.osType ?? "Linux",
      createOption: "FromImage",
      caching: "None",
      ...disk,
      name,
      managedDisk: {
        ...objectAt(disk, "managedDisk"),
        id: `${group}/providers/Microsoft.Compute/disks/${name}`,
      },
    },
    dataDisks: [],
  };
}

function osProfile({ instance, model, profile }: Parts): unknown {
  const { computerNamePrefix: _, ...rest } = objectAt(profile, "osProfile");
  return {
    ...rest,
    computerName: computerName(model, instance),
    secrets: rest["secrets"] ?? [],
    allowExtensionOperations: true,
    requireGuestProvisionSignal: true,
  };
}

/** The instance view at this moment. */
export function instanceView({ set }: InstanceContext, instance: Instance): unknown {
  const model = modelOf(set, instance);
  const isRunning = instance.power === "running";
  return {
    placementGroupId: set.uniqueId,
    computerName: computerName(model, instance),
    osName: "ubuntu",
    vmAgent: {
      vmAgentVersion: isRunning ? "2.13.1.1" : "Unknown",
      statuses: [
        isRunning
          ? {
              code: "ProvisioningState/succeeded",
              level: "Info",
              displayStatus: "Ready",
              message: "Guest Agent is running",
            }
          : {
              code: "ProvisioningState/Unavailable",
              level: "Warning",
              displayStatus: "Not Ready",
              message: "VM status blob is found but not yet populated.",
            },
      ],
    },
    hyperVGeneration: "V2",
    statuses: statusesOf(instance),
  };
}
