import {
  type AzureMachine,
  formatProviderId,
  type Frozen,
  type JsonObject,
  parseProviderId,
} from "@capstan/api";
import {
  backendPoolOf,
  clusterGroupOf,
  type ClusterSpecView,
  groupID,
  locationOf,
  networkID,
  nodeOutboundPoolID,
  ownerOf,
  subnetID,
} from "../../azure-cluster/spec-view.ts";
import { type Tags, tagsOf } from "@capstan/plan";
import { imageReference } from "../../virtual-machine/image-reference.ts";
import {
  ADMIN,
  bootDiagnostics,
  capabilitiesOf,
  dataDisksOf,
  identityBody,
  loginBy,
  osDiskOf,
  spotProfile,
  sshKeyIn,
} from "../../virtual-machine/profile.ts";
import { purchasePlan } from "../../virtual-machine/purchase-plan.ts";
import { UNUSED_SSH_KEY } from "../../virtual-machine/unused-ssh-key.ts";

/** The input of the resources of one machine. */
export interface MachineFacts {
  readonly machine: Frozen<AzureMachine>;
  readonly plan: ClusterSpecView;
  readonly isControlPlane: boolean;
  /** The Kubernetes version of the Machine, with its v. */
  readonly version: string;
  /** The zone; undefined for a machine outside zones. */
  readonly zone: string | undefined;
}

type Named = Pick<MachineFacts, "machine" | "plan">;

function computeID({ plan }: Named, path: string): string {
  return `${groupID(plan, clusterGroupOf(plan))}/providers/Microsoft.Compute/${path}`;
}

/** The ARM id of the virtual machine: it has the name of its AzureMachine, as in CAPZ. */
export function machineID(named: Named): string {
  return computeID(named, `virtualMachines/${named.machine.metadata.name}`);
}

/** The provider id of a virtual machine and of its Node, from the ARM id as Azure spells it. */
export function machineProviderID(id: string): string {
  return formatProviderId(parseProviderId(`azure://${id}`));
}

/** The ARM ids of the network interfaces, the primary one first; with CAPZ's names. */
export function interfaceIDs({ machine, plan }: Named): readonly string[] {
  const { name } = machine.metadata;
  const count = machine.spec.networkInterfaces?.length ?? 1;
  return Array.from({ length: count }, (_, index) =>
    networkID(plan, `networkInterfaces/${name}-nic${count > 1 ? `-${index}` : ""}`),
  );
}

/** The ARM ids of the disks that the virtual machine creates. */
export function diskIDs(named: Named): readonly string[] {
  const { metadata, spec } = named.machine;
  const suffixes = ["OSDisk", ...(spec.dataDisks ?? []).map(({ nameSuffix }) => nameSuffix)];
  return suffixes.map((suffix) => computeID(named, `disks/${metadata.name}_${suffix}`));
}

/** The user's tags, and the tag by which the cloud provider recognizes machines of the cluster. */
function additionalTags({ machine, plan }: Named): Tags {
  return {
    ...plan.spec.additionalTags,
    ...machine.spec.additionalTags,
    [`kubernetes.io_cluster_${plan.clusterName}`]: "owned",
  };
}

/** The tags of the virtual machine. */
function machineTags(facts: Pick<MachineFacts, "machine" | "plan" | "isControlPlane">): Tags {
  const source = { ...ownerOf(facts.plan), additionalTags: additionalTags(facts) };
  return tagsOf(source, facts.isControlPlane ? "control-plane" : "node", facts.machine.metadata.name);
}

/** The subnets of machines of this role. */
export function subnetsFor(plan: ClusterSpecView, isControlPlane: boolean): readonly string[] {
  const subnets = plan.spec.networkSpec?.subnets ?? [];
  const role = isControlPlane ? "control-plane" : "node";
  const own = subnets.filter((one) => one.role === role);
  return (own.length > 0 ? own : subnets.filter((one) => one.role === "cluster")).map(({ name }) => name);
}

/** The backend pools of the first address: those of the API server for control planes, else the outbound one. */
function backendPools({ plan, isControlPlane }: MachineFacts, subnetName: string): readonly JsonObject[] {
  const { apiServerLB, controlPlaneOutboundLB, subnets = [] } = plan.spec.networkSpec ?? {};
  if (isControlPlane) {
    return [controlPlaneOutboundLB, apiServerLB].flatMap((balancer) =>
      balancer?.name
        ? [
            {
              id: `${networkID(plan, `loadBalancers/${balancer.name}`)}/backendAddressPools/${backendPoolOf(balancer.name, balancer)}`,
            },
          ]
        : [],
    );
  }
  const hasNatGateway = subnets.some((one) => one.name === subnetName && one.natGateway?.name !== undefined);
  const id = hasNatGateway ? undefined : nodeOutboundPoolID(plan);
  return id === undefined ? [] : [{ id }];
}

/** The body of one network interface. */
export function interfaceBody(facts: MachineFacts, index: number): JsonObject {
  const { machine, plan } = facts;
  const { networkInterfaces = [{}], enableIPForwarding = false, dnsServers } = machine.spec;
  const { acceleratedNetworking } = networkInterfaces[index] ?? {};
  const name = (interfaceIDs(facts)[index] ?? "").split("/").at(-1) ?? "";
  return {
    location: locationOf(plan),
    tags: tagsOf({ ...ownerOf(plan), additionalTags: additionalTags(facts) }, undefined, name),
    properties: {
      enableIPForwarding,
      ...(acceleratedNetworking !== undefined && { enableAcceleratedNetworking: acceleratedNetworking }),
      ...(index === 0 && dnsServers && { dnsSettings: { dnsServers } }),
      ipConfigurations: addressBodies(facts, index, name),
    },
  };
}

/** The addresses of one network interface; only the first of the primary interface joins the load balancers. */
function addressBodies(facts: MachineFacts, index: number, name: string): readonly JsonObject[] {
  const { machine, plan, isControlPlane } = facts;
  const { subnetName, privateIPConfigs = 1 } = machine.spec.networkInterfaces?.[index] ?? {};
  const subnet = subnetName ?? subnetsFor(plan, isControlPlane)[0] ?? "";
  const pools = index === 0 ? backendPools(facts, subnet) : [];
  return Array.from({ length: privateIPConfigs }, (_, address) => ({
    name: address === 0 ? "pipConfig" : `${name}-${address}`,
    properties: {
      primary: address === 0,
      privateIPAllocationMethod: "Dynamic",
      subnet: { id: subnetID(plan, subnet) },
      ...(address === 0 && pools.length > 0 && { loadBalancerBackendAddressPools: pools }),
    },
  }));
}

// Disks and interfaces go with the machine, so that its deletion is one operation and leaves nothing behind.
const GOES_TOO = { deleteOption: "Delete" };

/** The body of the virtual machine. */
export function machineBody(facts: MachineFacts, customData: string): JsonObject {
  const { machine, plan, version, zone } = facts;
  const { spec, metadata } = machine;
  const identity = identityBody(spec);
  const capabilities = capabilitiesOf(spec);
  const purchase = purchasePlan(spec.image);
  const dataDisks = dataDisksOf(spec, (suffix) => `${metadata.name}_${suffix}`);
  const { capacityReservationGroupID: reservation } = spec;
  return {
    location: locationOf(plan),
    tags: machineTags(facts),
    ...(zone !== undefined && { zones: [zone] }),
    ...(purchase && { plan: purchase }),
    ...(identity && { identity }),
    properties: {
      hardwareProfile: { vmSize: spec.vmSize },
      storageProfile: {
        imageReference: imageReference(spec.image, version),
        osDisk: { ...osDiskOf(spec), name: `${metadata.name}_OSDisk`, ...GOES_TOO },
        ...(dataDisks.length > 0 && { dataDisks: dataDisks.map((disk) => ({ ...disk, ...GOES_TOO })) }),
      },
      osProfile: {
        computerName: metadata.name,
        adminUsername: ADMIN,
        customData,
        allowExtensionOperations: spec.disableExtensionOperations !== true,
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ...loginBy(sshKeyIn(spec) || UNUSED_SSH_KEY),
        },
      },
      networkProfile: {
        networkInterfaces: interfaceIDs(facts).map((id, index) => ({
          id,
          properties: { primary: index === 0, ...GOES_TOO },
        })),
      },
      diagnosticsProfile: { bootDiagnostics: bootDiagnostics(spec) },
      ...(spec.securityProfile && { securityProfile: spec.securityProfile }),
      ...spotProfile(spec),
      ...(capabilities && { additionalCapabilities: capabilities }),
      ...(reservation !== undefined && {
        capacityReservation: { capacityReservationGroup: { id: reservation } },
      }),
    },
  };
}
