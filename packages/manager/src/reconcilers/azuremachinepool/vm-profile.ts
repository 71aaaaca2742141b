import { type AzureMachinePool, type Frozen, isJsonObject, parseQuantity } from "@capstan/api";
import type { JsonObject } from "../../azure/port.ts";
import { imageReference } from "./image-reference.ts";
import { UNUSED_SSH_KEY } from "./unused-ssh-key.ts";

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

const ADMIN = "capi";

function osProfile({ sshPublicKey }: Template, { name }: ProfileContext): JsonObject {
  const keyData = Buffer.from(sshPublicKey ?? "", "base64")
    .toString("utf8")
    .trim();
  return {
    computerNamePrefix: name,
    adminUsername: ADMIN,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ...(keyData !== "" && loginBy(keyData)),
    },
  };
}

function loginBy(keyData: string): JsonObject {
  return { ssh: { publicKeys: [{ path: `/home/${ADMIN}/.ssh/authorized_keys`, keyData }] } };
}

/** The OS profile as it is sent. Fields added here do not make machines outdated, so they are not in the hashed profile. */
export function sentOsProfile({ osProfile: wanted }: JsonObject, customData: string): JsonObject {
  const { linuxConfiguration, ...rest } = isJsonObject(wanted) ? wanted : {};
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
  const { osDisk, dataDisks = [], image } = template;
  const { diskSizeGB, cachingType = "None", managedDisk, diffDiskSettings } = osDisk;
  return {
    imageReference: imageReference(image, version),
    osDisk: {
      osType: osDisk.osType,
      createOption: "FromImage",
      ...(diskSizeGB !== undefined && { diskSizeGB }),
      caching: cachingType,
      ...(managedDisk && { managedDisk: managedDiskOf(managedDisk) }),
      ...(diffDiskSettings && { diffDiskSettings }),
    },
    ...(dataDisks.length > 0 && {
      dataDisks: dataDisks.map((disk) => ({
        name: disk.nameSuffix,
        createOption: "Empty",
        diskSizeGB: disk.diskSizeGB,
        ...(disk.lun !== undefined && { lun: disk.lun }),
        ...(disk.cachingType !== undefined && { caching: disk.cachingType }),
        ...(disk.managedDisk && { managedDisk: managedDiskOf(disk.managedDisk) }),
      })),
    }),
  };
}

function managedDiskOf(disk: NonNullable<Template["osDisk"]["managedDisk"]>): JsonObject {
  const { storageAccountType, diskEncryptionSet, securityProfile: security } = disk;
  return {
    ...(storageAccountType !== undefined && { storageAccountType }),
    ...(diskEncryptionSet && { diskEncryptionSet }),
    ...(security && { securityProfile: security }),
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

function bootDiagnostics({ diagnostics }: Template): JsonObject {
  const boot = diagnostics?.boot ?? { storageAccountType: "Managed" as const };
  if (boot.storageAccountType === "Disabled") return { enabled: false };
  const storageUri =
    boot.storageAccountType === "UserManaged" ? boot.userManaged?.storageAccountURI : undefined;
  return { enabled: true, ...(storageUri !== undefined && { storageUri }) };
}

function securityProfile({ securityProfile: security }: Template): JsonObject {
  return security ? { securityProfile: security } : {};
}

function spotProfile({ spotVMOptions: spot }: Template): JsonObject {
  if (!spot) return {};
  const { maxPrice, evictionPolicy } = spot;
  return {
    priority: "Spot",
    ...(evictionPolicy !== undefined && { evictionPolicy }),
    // Azure expects dollars as a number, and -1 for "up to the regular price".
    billingProfile: { maxPrice: maxPrice === undefined ? -1 : Number(parseQuantity(maxPrice).nano) / 1e9 },
  };
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
