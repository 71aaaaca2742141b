import type { Effect } from "../../core/azure-state.ts";
import { textAt } from "../../json.ts";
import type { ResourceType } from "../resource-type.ts";
import { deleteMachine, evictMachine, evictMachineLater, MACHINE_EVICTED, machineAction } from "./actions.ts";
import { COMPUTE } from "../compute/compute-write.ts";
import { VIRTUAL_MACHINES } from "./desired.ts";
import { virtualMachineSource } from "./machine.ts";
import { getMachine, getMachineView, listMachines } from "./reads.ts";
import { listSizes } from "./resize.ts";
import { endMachineWork, MACHINE_DONE, removeMachine } from "./work.ts";
import { patchMachine, putMachine } from "./write.ts";

/** Runs when the resource group of a machine is deleted. */
const removedWithGroup: Effect = (world, args) => {
  const machine = world.virtualMachines.get(textAt(args, "id") ?? "");
  if (machine) removeMachine(world, machine);
};

/** Virtual machines outside scale sets. */
export const virtualMachines: ResourceType = {
  provider: COMPUTE,
  type: VIRTUAL_MACHINES,
  get: getMachine,
  put: putMachine,
  patch: patchMachine,
  delete: deleteMachine,
  list: listMachines,
  views: { instanceview: getMachineView, vmsizes: listSizes },
  actions: {
    deallocate: machineAction("deallocate"),
    start: machineAction("start"),
    poweroff: machineAction("poweroff"),
    restart: machineAction("restart"),
    redeploy: machineAction("redeploy"),
    reapply: machineAction("reapply"),
    simulateeviction: evictMachineLater,
  },
  effects: {
    [MACHINE_DONE]: endMachineWork,
    [MACHINE_EVICTED]: evictMachine,
    [`${COMPUTE}/${VIRTUAL_MACHINES}.removed`]: removedWithGroup,
  },
  machines: virtualMachineSource,
};
