/** The parts of a virtual machine in ARM's form that AzureMachines and pools have in common. */
import { type AzureMachineSpec, type Frozen, type JsonObject, parseQuantity } from "@capstan/api";

type Spec = Frozen<AzureMachineSpec>;
type ManagedDisk = NonNullable<Spec["osDisk"]["managedDisk"]>;

/** The administrator of machines, as in CAPZ. */
export const ADMIN = "capi";

/** The SSH configuration with one key. */
export function loginBy(keyData: string): JsonObject {
  return { ssh: { publicKeys: [{ path: `/home/${ADMIN}/.ssh/authorized_keys`, keyData }] } };
}

/** The key of the spec as a line of authorized_keys; empty when there is none. */
export function sshKeyIn({ sshPublicKey }: Pick<Spec, "sshPublicKey">): string {
  return Buffer.from(sshPublicKey ?? "", "base64")
    .toString("utf8")
    .trim();
}

/** The managed disk in ARM's form. */
function managedDiskOf(disk: ManagedDisk): JsonObject {
  const { storageAccountType, diskEncryptionSet, securityProfile: security } = disk;
  return {
    ...(storageAccountType !== undefined && { storageAccountType }),
    ...(diskEncryptionSet && { diskEncryptionSet }),
    ...(security && { securityProfile: security }),
  };
}

/** The OS disk without its name. */
export function osDiskOf({ osDisk }: Pick<Spec, "osDisk">): JsonObject {
  const { diskSizeGB, cachingType = "None", managedDisk, diffDiskSettings } = osDisk;
  return {
    osType: osDisk.osType,
    createOption: "FromImage",
    ...(diskSizeGB !== undefined && { diskSizeGB }),
    caching: cachingType,
    ...(managedDisk && { managedDisk: managedDiskOf(managedDisk) }),
    ...(diffDiskSettings && { diffDiskSettings }),
  };
}

/** The data disks; `nameOf` makes a name from the suffix in the spec. */
export function dataDisksOf(
  { dataDisks = [] }: Pick<Spec, "dataDisks">,
  nameOf: (nameSuffix: string) => string,
): readonly JsonObject[] {
  return dataDisks.map((disk) => ({
    name: nameOf(disk.nameSuffix),
    createOption: "Empty",
    diskSizeGB: disk.diskSizeGB,
    ...(disk.lun !== undefined && { lun: disk.lun }),
    ...(disk.cachingType !== undefined && { caching: disk.cachingType }),
    ...(disk.managedDisk && { managedDisk: managedDiskOf(disk.managedDisk) }),
  }));
}

/** The boot diagnostics; managed unless the spec says otherwise. */
export function bootDiagnostics({ diagnostics }: Pick<Spec, "diagnostics">): JsonObject {
  const boot = diagnostics?.boot ?? { storageAccountType: "Managed" as const };
  if (boot.storageAccountType === "Disabled") return { enabled: false };
  const storageUri =
    boot.storageAccountType === "UserManaged" ? boot.userManaged?.storageAccountURI : undefined;
  return { enabled: true, ...(storageUri !== undefined && { storageUri }) };
}

/** The priority of a spot machine, with its eviction policy and its price. */
export function spotProfile({ spotVMOptions: spot }: Pick<Spec, "spotVMOptions">): JsonObject {
  if (!spot) return {};
  const { maxPrice, evictionPolicy } = spot;
  return {
    priority: "Spot",
    ...(evictionPolicy !== undefined && { evictionPolicy }),
    // Azure expects dollars as a number, and -1 for "up to the regular price".
    billingProfile: { maxPrice: maxPrice === undefined ? -1 : Number(parseQuantity(maxPrice).nano) / 1e9 },
  };
}

/** The user-assigned identities; undefined when the spec has none. */
export function identityBody({
  identity,
  userAssignedIdentities: named = [],
}: Pick<Spec, "identity" | "userAssignedIdentities">): JsonObject | undefined {
  if (identity !== "UserAssigned") return undefined;
  const ids = named.map(({ providerID }) => providerID.replace(/^azure:\/\//, ""));
  const userAssignedIdentities = Object.fromEntries(ids.sort().map((id) => [id, {}]));
  return { type: "UserAssigned", userAssignedIdentities };
}

type DiskSpec = Pick<Spec, "dataDisks" | "additionalCapabilities">;

/** The additional capabilities: ultra disks need one. */
export function capabilitiesOf(spec: DiskSpec): JsonObject | undefined {
  const { dataDisks = [], additionalCapabilities } = spec;
  const hasUltra = dataDisks.some(({ managedDisk }) => managedDisk?.storageAccountType === "UltraSSD_LRS");
  const ultraSSDEnabled = additionalCapabilities?.ultraSSDEnabled ?? (hasUltra ? true : undefined);
  return ultraSSDEnabled === undefined ? undefined : { ultraSSDEnabled };
}

/** Whether a machine must be able to take ultra disks. */
export function needsUltraDisks(spec: DiskSpec): boolean {
  return capabilitiesOf(spec)?.["ultraSSDEnabled"] === true;
}
