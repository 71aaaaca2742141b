/** What image caching assumes of snapshots, galleries and machines that start from them. */
import type { JsonObject } from "@capstan/api";
import { type Assumption, seen } from "../assumption.ts";
import {
  at,
  createInterface,
  firstInstance,
  idsIn,
  instancesOf,
  machineBody,
  powerOf,
  scaleSetBody,
  textAt,
} from "../resources.ts";
import type { Trial } from "../trial.ts";

const REST = "https://learn.microsoft.com/rest/api/compute";
const [OLDER, NEWER] = ["1.0.0", "1.0.1"];

const snapshot: Assumption = {
  id: "snapshot-of-instance",
  assumes: "The OS disk of an instance of a Uniform scale set can be copied to a snapshot.",
  breaks: "Image caching for machine pools could not take an image at all.",
  source: "https://learn.microsoft.com/azure/virtual-machines/snapshot-copy-managed-disk",
  simulated: "test/azure/galleries.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const { set, snapshot: id } = idsIn(trial);
    const instance = await trial.get(await firstInstance(trial, set));
    const sourceResourceId = textAt(instance, "properties", "storageProfile", "osDisk", "managedDisk", "id");
    const creationData = { createOption: "Copy", sourceResourceId };
    await trial.put(id, { location: trial.location, properties: { creationData } });
    const state = textAt(await trial.get(id), "properties", "provisioningState");
    return seen(state === "Succeeded", `the snapshot of ${sourceResourceId.split("/").at(-1)} is ${state}`);
  },
};

const version: Assumption = {
  id: "version-from-snapshot",
  assumes: "A gallery definition takes a version whose source is a snapshot.",
  breaks: "Image caching could not publish what it has taken.",
  source: `${REST}/gallery-image-versions/create-or-update`,
  simulated: "test/azure/galleries.test.ts",
  needs: ["snapshot-of-instance"],
  check: async (trial) => {
    const { gallery, definition, version: versionID } = idsIn(trial);
    const { location } = trial;
    await trial.put(gallery, { location, properties: {} });
    await trial.put(definition, {
      location,
      properties: {
        osType: "Linux",
        osState: "Generalized",
        hyperVGeneration: "V2",
        identifier: { publisher: "capstan", offer: "verify", sku: "node" },
      },
    });
    await publish(trial, OLDER, {});
    const state = textAt(await trial.get(versionID(OLDER)), "properties", "provisioningState");
    return seen(state === "Succeeded", `version ${OLDER} is ${state}`);
  },
};

async function publish(trial: Trial, name: string, profile: JsonObject): Promise<void> {
  const ids = idsIn(trial);
  const targetRegions = [
    { name: trial.location, regionalReplicaCount: 1, storageAccountType: "Standard_LRS" },
  ];
  await trial.put(ids.version(name), {
    location: trial.location,
    properties: {
      storageProfile: { osDiskImage: { source: { id: ids.snapshot } } },
      publishingProfile: { targetRegions, excludeFromLatest: false, ...profile },
    },
  });
}

const machine: Assumption = {
  id: "machine-from-version",
  assumes: "A virtual machine starts from a version that was made of such a snapshot.",
  breaks: "Image caching could not remove the identity of the donor on a copy.",
  source: "https://learn.microsoft.com/azure/virtual-machines/vm-generalized-image-version",
  simulated: "test/azure/virtual-machines.test.ts",
  needs: ["version-from-snapshot"],
  check: async (trial) => {
    const ids = idsIn(trial);
    await createInterface(trial);
    await trial.put(ids.machine, machineBody(trial, { id: ids.version(OLDER) }));
    const power = await powerOf(trial, ids.machine);
    return seen(power === "running", `the virtual machine is ${power}`);
  },
};

const resize: Assumption = {
  id: "resize",
  assumes:
    "A PATCH of hardwareProfile.vmSize changes the size of a running virtual machine, which stays the same machine.",
  breaks: "Machines could not be resized in place.",
  source: "https://learn.microsoft.com/azure/virtual-machines/sizes/resize-vm",
  simulated: "test/azure/virtual-machines.test.ts",
  needs: ["machine-from-version"],
  check: async (trial) => {
    const { machine: id } = idsIn(trial);
    const { otherSize } = trial;
    const before = await trial.get(id);
    await trial.patch(id, { properties: { hardwareProfile: { vmSize: otherSize } } });
    const after = await trial.get(id);
    const size = textAt(after, "properties", "hardwareProfile", "vmSize");
    const isSame = textAt(before, "properties", "vmId") === textAt(after, "properties", "vmId");
    return seen(
      size === otherSize && isSame,
      `the size is ${size}; ${isSame ? "the same" : "another"} machine`,
    );
  },
};

const definitionModel: Assumption = {
  id: "set-by-definition",
  assumes:
    "The model of a scale set may name a gallery definition without a version; an instance then has its newest version, and says which in imageReference.exactVersion.",
  breaks:
    "Each renewed image would need a write of the model, and ten renewals would use up Azure's ten models.",
  source: "https://learn.microsoft.com/azure/virtual-machine-scale-sets/instance-generalized-image-version",
  simulated: "test/azure/galleries.test.ts",
  needs: ["version-from-snapshot"],
  check: async (trial) => {
    const ids = idsIn(trial);
    await publish(trial, NEWER, {});
    const body = scaleSetBody(trial, { capacity: 1, image: { id: ids.definition } });
    await trial.put(ids.setOfDefinition, body);
    const [first] = await versionsIn(trial);
    return seen(first === NEWER, `the instance has version ${first}, the newest is ${NEWER}`);
  },
};

const excludeFromLatest: Assumption = {
  id: "exclude-from-latest",
  assumes:
    "After excludeFromLatest of the newest version is set, a new instance gets the one before it, without a write of the model; existing instances stay as they are.",
  breaks: "Promotion and rollback of images would have no effect on new nodes.",
  source: "https://learn.microsoft.com/azure/virtual-machines/azure-compute-gallery#image-versions",
  simulated: "test/azure/galleries.test.ts",
  needs: ["set-by-definition"],
  check: async (trial) => {
    const { setOfDefinition } = idsIn(trial);
    await publish(trial, NEWER, { excludeFromLatest: true });
    await trial.patch(setOfDefinition, { sku: { name: trial.size, capacity: 2 } });
    const versions = await versionsIn(trial);
    return seen(
      versions.join() === [NEWER, OLDER].join(),
      `the older instance has version ${versions[0]}, the new one ${versions[1]}; ${NEWER} is excluded`,
    );
  },
};

/** The versions that the instances of the second scale set booted from, oldest instance first. */
async function versionsIn(trial: Trial): Promise<readonly string[]> {
  const instances = await instancesOf(trial, idsIn(trial).setOfDefinition);
  return instances.map((body) => {
    const reference = at(body, "properties", "storageProfile", "imageReference");
    return textAt(reference, "exactVersion") || textAt(reference, "id").split("/versions/")[1] || "unknown";
  });
}

/** In the order in which they run. */
export const IMAGE_CHECKS: readonly Assumption[] = [
  snapshot,
  version,
  machine,
  resize,
  definitionModel,
  excludeFromLatest,
];
