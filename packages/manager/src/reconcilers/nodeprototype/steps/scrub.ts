import { isJsonObject, type JsonObject } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { AzureError, parseInstance } from "@capstan/azure";
import {
  decideScrub,
  HELPER_LUN,
  helperName,
  isOverdue,
  type ScrubFacts,
  type ScrubStep,
} from "@capstan/plan";
import { nodeSubnetsOf, subnetID } from "../../../azure-cluster/spec-view.ts";
import { type AzureScope, deleted, objectIn, POWER, read, stateOf, textIn } from "../gallery/azure-reads.ts";
import { cycleOf, snapshotTags } from "../gallery/prototype-tags.ts";
import { failRenewal, passes } from "./fail.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";
import { scrubbedSnapshotID, snapshotBody, snapshotID } from "./snapshot.ts";

const WATCH_MS = 10_000;

/** The ARM ids of the helper VM and of what belongs to it. */
function idsOf(scope: AzureScope) {
  const name = helperName(scope.owner.metadata.name, renewalOf(scope).cycleID);
  const compute = `${scope.azure.groupID}/providers/Microsoft.Compute`;
  return {
    helper: `${compute}/virtualMachines/${name}`,
    disk: `${compute}/disks/${name}`,
    networkInterface: `${scope.azure.groupID}/providers/Microsoft.Network/networkInterfaces/${name}`,
  };
}

/** What exists of the copy, with the bodies that steps need. */
interface Copy {
  readonly facts: ScrubFacts;
  readonly snapshotBody: JsonObject | undefined;
}

/**
 * Removes the identity of the donor from a copy of its disk: a virtual machine boots from the copy, where the unit that the donor
 * has got removes everything that two nodes must not share, and powers the machine off.
 */
export async function scrubCopy(scope: AzureScope): Promise<Outcome> {
  const copy = await observe(scope);
  const step = decideScrub(copy.facts);
  scope.note = { reason: "Scrubbing", why: step.why };
  return CARRY_OUT[step.do](scope, copy, step);
}

async function observe(scope: AzureScope): Promise<Copy> {
  const { disk, networkInterface } = idsOf(scope);
  const helper = await read(scope, idsOf(scope).helper, { $expand: "instanceView" });
  // Most passes are polls: while the helper starts or works, and while its disk is copied, the other parts do not matter.
  const isWorking = helper !== undefined && isAtWork(helperIn(helper));
  const scrubbed = isWorking ? undefined : await read(scope, scrubbedSnapshotID(scope));
  const isEnough = isWorking || (helper !== undefined && scrubbed !== undefined);
  const readPart = async (id: string) => (isEnough ? undefined : await read(scope, id));
  const bodies = {
    scrubbed,
    helper,
    disk: await readPart(disk),
    networkInterface: await readPart(networkInterface),
    snapshot: await readPart(snapshotID(scope)),
  };
  const stateOfPart = (body: JsonObject | undefined) => (isEnough ? "Succeeded" : stateOf(body));
  const { cycleID } = renewalOf(scope);
  const foreign = Object.values(bodies).find((body) => body !== undefined && cycleOf(body) !== cycleID);
  const { scrub } = recordOf(scope);
  return {
    snapshotBody: bodies.snapshot,
    facts: {
      snapshot: stateOfPart(bodies.snapshot),
      disk: stateOfPart(bodies.disk),
      networkInterface: stateOfPart(bodies.networkInterface),
      helper: bodies.helper && helperIn(bodies.helper),
      scrubbed: stateOf(bodies.scrubbed),
      foreign: foreign && textIn(foreign, "id"),
      refused: scrub?.mode === "FirstBoot" ? (scrub.why ?? "") : undefined,
      isOverdue: isOverdue(recordOf(scope), scope.context.env.clock.now()),
    },
  };
}

/** Whether the helper starts or works: only a machine that has failed, is stopped or is being deleted needs another step. */
function isAtWork({ state, power }: NonNullable<ScrubFacts["helper"]>): boolean {
  const isOver = state === "Failed" || state === "Deleting";
  return !isOver && !(state === "Succeeded" && power === "stopped");
}

function helperIn(body: JsonObject): NonNullable<ScrubFacts["helper"]> {
  const instance = parseInstance({ instanceId: body["name"], ...body });
  return {
    state: stateOf(body) ?? "",
    power: instance ? POWER[instance.powerState] : "unknown",
    error: errorIn(body),
  };
}

/** What the instance view says about a failed creation. */
function errorIn(body: JsonObject): string {
  const { statuses } = objectIn(body, "properties", "instanceView");
  const all = Array.isArray(statuses) ? statuses.filter(isJsonObject) : [];
  const failed = all.find((one) => textIn(one, "code").startsWith("ProvisioningState/failed"));
  return failed ? textIn(failed, "message") || textIn(failed, "code") : "Azure could not create it";
}

type CarryOut = (scope: AzureScope, copy: Copy, step: ScrubStep) => Promise<Outcome>;

const CARRY_OUT: Readonly<Record<ScrubStep["do"], CarryOut>> = {
  wait: async () => again(WATCH_MS, "Scrubbing"),
  giveUp: (scope, _, { why }) => failRenewal(scope, "ScrubFailed", why),
  refuse: (scope, _, { why }) => refuse(scope, why),
  createDisk: (scope) => create(scope, idsOf(scope).disk, diskBody(scope)),
  createInterface: (scope) => create(scope, idsOf(scope).networkInterface, interfaceBody(scope)),
  createHelper: (scope, { snapshotBody: snapshot }) =>
    create(scope, idsOf(scope).helper, helperBody(scope, snapshot)),
  takeSnapshot: async (scope) => {
    const { azure } = scope;
    const body = snapshotBody(scope, idsOf(scope).disk);
    await azure.arm.put(scrubbedSnapshotID(scope), body, { location: azure.location });
    return again(WATCH_MS, "Scrubbing");
  },
  deleteHelper: async (scope) => {
    await deleteHelper(scope);
    return again(WATCH_MS, "Scrubbing");
  },
  done: async (scope) => {
    const { scrub } = recordOf(scope);
    await moveTo(scope, "Publishing", { scrub: scrub ?? { mode: "Copy" } });
    return again(0, "Publishing");
  },
};

/** Creates a part of the copy. Without it the identity is removed at the first boot of each node, which is said. */
async function create(scope: AzureScope, id: string, body: JsonObject): Promise<Outcome> {
  const { azure } = scope;
  try {
    const common = { location: azure.location, tags: snapshotTags(scope) };
    await azure.arm.put(id, { ...common, ...body }, { location: azure.location });
  } catch (error) {
    if (!(error instanceof AzureError) || passes(error)) throw error;
    return refuse(scope, error.message);
  }
  return again(WATCH_MS, "Scrubbing");
}

async function refuse(scope: AzureScope, why: string): Promise<Outcome> {
  const { context } = scope;
  change(scope, { scrub: { mode: "FirstBoot", why: why.slice(0, 300) } });
  await context.persistStatus();
  const message = `New nodes remove the identity of the donor at their first boot, because Azure refused the helper VM: ${why}`;
  context.event({ type: "Warning", reason: "PrototypeHelperRefused", message: message.slice(0, 1000) });
  return again(0, "Scrubbing");
}

/** Deletes the helper VM and what belongs to it; returns whether all is gone. */
export async function deleteHelper(scope: AzureScope): Promise<boolean> {
  const { helper, networkInterface, disk } = idsOf(scope);
  // Azure deletes the others with the machine, unless its creation has failed.
  for (const id of [helper, networkInterface, disk]) if (!(await deleted(scope, id))) return false;
  return true;
}

// What Azure deletes with the machine.
const GOES_TOO = { deleteOption: "Delete" };

function diskBody(scope: AzureScope): JsonObject {
  return {
    sku: { name: "StandardSSD_LRS" },
    properties: {
      creationData: { createOption: "Copy", sourceResourceId: snapshotID(scope) },
      // The disk has the identity of a node: it cannot be downloaded.
      networkAccessPolicy: "DenyAll",
      publicNetworkAccess: "Disabled",
    },
  };
}

/** An interface without a public address and without a load balancer: the scrub does not use the network. */
function interfaceBody({ azure }: AzureScope): JsonObject {
  const subnet = subnetID(azure.plan, nodeSubnetsOf(azure.plan)[0] ?? "");
  const properties = { primary: true, privateIPAllocationMethod: "Dynamic", subnet: { id: subnet } };
  return { properties: { ipConfigurations: [{ name: "pipConfig", properties }] } };
}

function helperBody(scope: AzureScope, snapshot: JsonObject | undefined): JsonObject {
  const { disk, networkInterface } = idsOf(scope);
  const { purchasePlan, securityProfile, osType = "Linux" } = objectIn(snapshot, "properties");
  const { securityType } = isJsonObject(securityProfile) ? securityProfile : {};
  return {
    ...(purchasePlan !== undefined && { plan: purchasePlan }),
    properties: {
      // A machine of the donor's size certainly has its architecture and the controller of its disks.
      hardwareProfile: { vmSize: scope.fleet.vmSize },
      storageProfile: {
        osDisk: { osType, createOption: "Attach", managedDisk: { id: disk }, ...GOES_TOO },
        // The script on the disk knows by this number that it runs on a helper.
        dataDisks: [
          {
            lun: HELPER_LUN,
            name: `${disk.split("/").at(-1) ?? ""}-marker`,
            createOption: "Empty",
            diskSizeGB: 1,
            ...GOES_TOO,
          },
        ],
      },
      networkProfile: {
        networkInterfaces: [{ id: networkInterface, properties: { primary: true, ...GOES_TOO } }],
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      ...(securityType === "TrustedLaunch" && {
        securityProfile: { securityType, uefiSettings: { secureBootEnabled: true, vTpmEnabled: true } },
      }),
    },
  };
}
