import { type AzureMachinePool, type Frozen, isJsonObject, type JsonObject } from "@capstan/api";
import { imageReference } from "../../../virtual-machine/image-reference.ts";
import {
  ADMIN,
  bootDiagnostics,
  dataDisksOf,
  loginBy,
  osDiskOf,
  spotProfile,
  sshKeyIn,
} from "../../../virtual-machine/profile.ts";
import { UNUSED_SSH_KEY } from "../../../virtual-machine/unused-ssh-key.ts";

/** The input of the VM profile beside the spec of the pool. */
export interface ProfileContext {
  /** The name of the scale set, which machines are named after. */
  readonly name: string;
  /** The Kubernetes version of the machines, with its v. */
  readonly version: string;
  /** The ARM id of the subnet of that name; without a name, that of the nodes. */
  readonly subnetID: (name: string | undefined) => string;
  /** The backend pool of the outbound load balancer, if there is one. */
  readonly outboundPoolID?: string;
}

type Template = Frozen<AzureMachinePool["spec"]["template"]>;

/**
 * The desired VM profile of a pool: everything that makes two models differ, and nothing else. Capacity, tags and bootstrap
 * data are not part of it: their changes do not make a machine outdated.
 */
export function vmProfile(pool: Frozen<AzureMachinePool>, context: ProfileContext): JsonObject {
  const { template } = pool.spec;
  return {
    osProfile: osProfile(template, context),
    storageProfile: storageProfile(template, context),
    networkProfile: networkProfile(template, context),
    diagnosticsProfile: { bootDiagnostics: bootDiagnostics(template) },
    ...securityProfile(template),
    ...spotProfile(template),
    ...terminateNotification(template),
    ...extensionProfile(template),
  };
}

function osProfile(template: Template, { name }: ProfileContext): JsonObject {
  const keyData = sshKeyIn(template);
  return {
    computerNamePrefix: name,
    adminUsername: ADMIN,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ...(keyData !== "" && loginBy(keyData)),
    },
  };
}

/** The OS profile as it is sent. Fields added here do not make machines outdated, so they are not in the hashed profile. */
export function sentOsProfile({ osProfile: desired }: JsonObject, customData: string): JsonObject {
  const { linuxConfiguration, ...rest } = isJsonObject(desired) ? desired : {};
  return {
    ...rest,
    linuxConfiguration: {
      ...loginBy(UNUSED_SSH_KEY),
      ...(isJsonObject(linuxConfiguration) && linuxConfiguration),
    },
    customData,
  };
}

function storageProfile(template: Template, { version }: ProfileContext): JsonObject {
  const dataDisks = dataDisksOf(template, (nameSuffix) => nameSuffix);
  return {
    imageReference: imageReference(template.image, version),
    osDisk: osDiskOf(template),
    ...(dataDisks.length > 0 && { dataDisks }),
  };
}

function networkProfile(template: Template, context: ProfileContext): JsonObject {
  const { networkInterfaces = [{}] } = template;
  return {
    networkInterfaceConfigurations: networkInterfaces.map((one, index) => {
      const { subnetName, privateIPConfigs = 1, acceleratedNetworking } = one;
      const isPrimary = index === 0;
      return {
        name: `${context.name}-nic-${index}`,
        properties: {
          primary: isPrimary,
          enableIPForwarding: true,
          ...(acceleratedNetworking !== undefined && { enableAcceleratedNetworking: acceleratedNetworking }),
          ipConfigurations: Array.from({ length: privateIPConfigs }, (_, address) =>
            addressOf(address, isPrimary && address === 0, { ...context, subnetName }),
          ),
        },
      };
    }),
  };
}

function addressOf(
  number: number,
  isPrimary: boolean,
  { subnetID, outboundPoolID, subnetName }: ProfileContext & { readonly subnetName: string | undefined },
): JsonObject {
  return {
    name: `ipConfig${number}`,
    properties: {
      primary: number === 0,
      subnet: { id: subnetID(subnetName) },
      ...(isPrimary &&
        outboundPoolID !== undefined && { loadBalancerBackendAddressPools: [{ id: outboundPoolID }] }),
    },
  };
}

function securityProfile({ securityProfile: security }: Template): JsonObject {
  return security ? { securityProfile: security } : {};
}

function terminateNotification({ terminateNotificationTimeout: minutes }: Template): JsonObject {
  if (minutes === undefined) return {};
  const terminateNotificationProfile = { enable: true, notBeforeTimeout: `PT${minutes}M` };
  return { scheduledEventsProfile: { terminateNotificationProfile } };
}

function extensionProfile({ vmExtensions = [] }: Template): JsonObject {
  if (vmExtensions.length === 0) return {};
  const extensions = vmExtensions.map(({ name, publisher, version, settings, protectedSettings }) => ({
    name,
    properties: {
      publisher,
      type: name,
      typeHandlerVersion: version,
      ...(settings && { settings }),
      ...(protectedSettings && { protectedSettings }),
    },
  }));
  return { extensionProfile: { extensions } };
}
