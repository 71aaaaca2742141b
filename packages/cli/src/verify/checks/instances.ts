/** What pools assume of the instances of a Uniform scale set. */
import { AzureError } from "@capstan/azure";
import { type Assumption, seen } from "../assumption.ts";
import { firstInstance, idsIn, instancesOf, powerOf, scaleSetBody, textAt, at } from "../resources.ts";
import type { Trial } from "../trial.ts";

const REST = "https://learn.microsoft.com/rest/api/compute";

/** A scale set of two instances that other checks use. */
const scaleSet: Assumption = {
  id: "scale-set",
  assumes:
    "A Uniform scale set with manual upgrades and without overprovisioning has exactly the instances that it is asked for.",
  breaks: "Pools would see machines that no resource stands for.",
  source:
    "https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes",
  simulated: "test/azure/scale-sets.test.ts",
  needs: [],
  check: async (trial) => {
    const { set } = idsIn(trial);
    await trial.put(set, scaleSetBody(trial, { capacity: 2 }));
    const found = (await instancesOf(trial, set)).length;
    return seen(found === 2, `${found} instances of 2`);
  },
};

const etag: Assumption = {
  id: "if-match",
  assumes: "A PUT of a scale set with the etag of an older version in If-Match is refused with status 412.",
  breaks: "Capstan would overwrite what an autoscaler or a user changed between its read and its write.",
  source: `${REST}/virtual-machine-scale-sets/create-or-update`,
  simulated: "test/azure/scale-sets.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const { set } = idsIn(trial);
    const before = textAt(await trial.get(set), "etag");
    if (before === "") return seen(false, "a GET of the scale set answered no etag");
    const change = (pass: string) => ({ ...scaleSetBody(trial, { capacity: 2 }), tags: { pass } });
    await trial.put(set, change("1"), { ifMatch: before });
    try {
      await trial.put(set, change("2"), { ifMatch: before });
    } catch (error) {
      if (!(error instanceof AzureError)) throw error;
      return seen(
        error.class === "Precondition",
        `the second write was refused with status ${error.status}: ${error.code}`,
      );
    }
    return seen(false, "the second write with the same etag was accepted");
  },
};

const listCost: Assumption = {
  id: "list-cost",
  assumes:
    "A LIST of the instances of a scale set takes one token for each instance from the budget of views, and says in x-ms-ratelimit-remaining-resource what is left.",
  breaks: "The client's own budget would be wrong: Azure would throttle it, or it would wait for nothing.",
  source: "https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits",
  simulated: "test/azure/throttling.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const { set } = idsIn(trial);
    const lefts: number[] = [];
    for (let time = 0; time < 2; time++) {
      await instancesOf(trial, set);
      lefts.push(viewsLeft(trial));
    }
    const [first = NaN, second = NaN] = lefts;
    if (Number.isNaN(first))
      return seen(false, "the answer names no budget of views in x-ms-ratelimit-remaining-resource");
    // The budget is refilled between the two lists, by some tokens a second.
    return seen(
      second < first,
      `${first} views left after one list of 2 instances, ${second} after the next`,
    );
  },
};

function viewsLeft(trial: Trial): number {
  const header = trial.headers()["x-ms-ratelimit-remaining-resource"] ?? "";
  return Number(/VMViews[^;,]*;(\d+)/i.exec(header)?.[1] ?? NaN);
}

const updateInstances: Assumption = {
  id: "update-instances",
  assumes:
    "After a PUT of the model with other custom data, instances keep running on the older model until manualupgrade names them; then latestModelApplied is true, and the machine is the same.",
  breaks: "instanceUpdate: InPlace would replace machines that it promises to keep, or would wait for ever.",
  source: `${REST}/virtual-machine-scale-sets/update-instances`,
  simulated: "test/azure/instance-actions.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const { set } = idsIn(trial);
    const instance = await firstInstance(trial, set);
    const before = await trial.get(instance);
    await trial.put(set, scaleSetBody(trial, { capacity: 2, customData: "#cloud-config\nruncmd: []\n" }));
    const waiting = await trial.get(instance);
    const instanceIds = [textAt(before, "instanceId") || "0"];
    await trial.post(`${set}/manualupgrade`, { instanceIds });
    const after = await trial.get(instance);
    const applied = [waiting, after].map((body) => at(body, "properties", "latestModelApplied"));
    const isSame = textAt(before, "properties", "vmId") === textAt(after, "properties", "vmId");
    return seen(
      applied[0] === false && applied[1] === true && isSame,
      `latestModelApplied was ${String(applied[0])} before manualupgrade and ${String(applied[1])} after it; ${isSame ? "the same" : "another"} machine`,
    );
  },
};

const powerOffStart: Assumption = {
  id: "power-off-start",
  assumes:
    "An instance that is powered off, not deallocated, keeps its disk and its machine, and starts again.",
  breaks: "Image caching would lose the donor that it stops for a snapshot.",
  source: `${REST}/virtual-machine-scale-set-vms/power-off`,
  simulated: "test/azure/instance-actions.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const instance = await firstInstance(trial, idsIn(trial).set);
    const before = await trial.get(instance);
    await trial.post(`${instance}/poweroff`);
    const off = await powerOf(trial, instance);
    await trial.post(`${instance}/start`);
    const on = await powerOf(trial, instance);
    const after = await trial.get(instance);
    const isSame = ["vmId"].every(
      (field) => textAt(before, "properties", field) === textAt(after, "properties", field),
    );
    const disks = [before, after].map((body) =>
      textAt(body, "properties", "storageProfile", "osDisk", "managedDisk", "id").toLowerCase(),
    );
    return seen(
      off === "stopped" && on === "running" && isSame && disks[0] === disks[1],
      `${off} after power off, ${on} after start; ${isSame ? "the same" : "another"} machine, ${disks[0] === disks[1] ? "the same" : "another"} disk`,
    );
  },
};

const runCommand: Assumption = {
  id: "run-command",
  assumes: "A run command of an instance runs a script and shows its output in the instance view.",
  breaks: "Image caching could not prepare a donor or read what is installed on it.",
  source: `${REST}/virtual-machine-scale-set-vm-run-commands/create-or-update`,
  simulated: "test/azure/instance-actions.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const command = `${await firstInstance(trial, idsIn(trial).set)}/runCommands/capstan`;
    const source = { script: "cat /etc/machine-id" };
    await trial.put(command, { location: trial.location, properties: { source, timeoutInSeconds: 300 } });
    const body = await trial.get(command, { query: { $expand: "instanceView" } });
    const view = at(body, "properties", "instanceView");
    const output = textAt(view, "output").trim();
    return seen(
      /^[0-9a-f]{32}$/.test(output),
      `${textAt(view, "executionState") || "no execution state"}, output ${JSON.stringify(output.slice(0, 80))}`,
    );
  },
};

const deleteInstance: Assumption = {
  id: "delete-instance",
  assumes:
    "POST delete with an instance id removes that instance and its OS disk, and lowers the capacity by one.",
  breaks: "Scaling down would leave disks behind, or Azure would create the machine again.",
  source: `${REST}/virtual-machine-scale-sets/delete-instances`,
  simulated: "test/azure/instance-actions.test.ts",
  needs: ["scale-set"],
  check: async (trial) => {
    const { set } = idsIn(trial);
    const last = (await instancesOf(trial, set)).at(-1);
    const disk = textAt(last, "properties", "storageProfile", "osDisk", "managedDisk", "id");
    const instanceIds = [textAt(last, "instanceId")];
    await trial.post(`${set}/delete`, { instanceIds });
    const left = (await instancesOf(trial, set)).length;
    const capacity = at(await trial.get(set), "sku", "capacity");
    const hasDisk = await exists(trial, disk);
    return seen(
      left === 1 && capacity === 1 && !hasDisk,
      `${left} instances and capacity ${String(capacity)} after one of 2 was deleted; its disk ${hasDisk ? "is still there" : "is gone"}`,
    );
  },
};

async function exists(trial: Trial, id: string): Promise<boolean> {
  try {
    await trial.get(id);
    return true;
  } catch (error) {
    if (error instanceof AzureError && error.class === "Gone") return false;
    throw error;
  }
}

/** In the order in which they run. */
export const INSTANCE_CHECKS: readonly Assumption[] = [
  scaleSet,
  etag,
  listCost,
  updateInstances,
  runCommand,
  powerOffStart,
];

/** Runs last: the others use the instance. */
export const LAST_CHECKS: readonly Assumption[] = [deleteInstance];
