import type { ResourceType } from "../resource-type.ts";
import { deleteInstance, instanceAction, setAction } from "./actions.ts";
import { evict, EVICTED, simulateEviction } from "./eviction.ts";
import { endInstanceWork } from "./instance-effects.ts";
import { putInstance } from "./instance-write.ts";
import { getInstanceInterface, listInstanceInterfaces, listSetInterfaces } from "./interfaces.ts";
import {
  getInstance,
  getInstanceView,
  getScaleSet,
  getSetView,
  listInstances,
  listScaleSets,
} from "./reads.ts";
import { instanceMachines } from "./machine.ts";
import { deleteScaleSet, removeScaleSet, SET_REMOVED } from "./removal.ts";
import { TRIM_EXTRA, trimExtra } from "./resize.ts";
import { INSTANCE_DONE } from "./work.ts";
import { COMPUTE, patchScaleSet, putScaleSet, SCALE_SETS, SET_SETTLED, setSettled } from "./write.ts";

/** Virtual machine scale sets of the Uniform kind. */
export const scaleSets: ResourceType = {
  provider: COMPUTE,
  type: SCALE_SETS,
  get: getScaleSet,
  put: putScaleSet,
  patch: patchScaleSet,
  delete: deleteScaleSet,
  list: listScaleSets,
  views: { instanceview: getSetView },
  actions: {
    manualupgrade: setAction("manualupgrade"),
    reimage: setAction("reimage"),
    reimageall: setAction("reimageall"),
    deallocate: setAction("deallocate"),
    start: setAction("start"),
    poweroff: setAction("poweroff"),
    restart: setAction("restart"),
    redeploy: setAction("redeploy"),
    delete: setAction("delete"),
  },
  effects: {
    [SET_SETTLED]: setSettled,
    [SET_REMOVED]: removeScaleSet,
    [TRIM_EXTRA]: trimExtra,
    [INSTANCE_DONE]: endInstanceWork,
    [EVICTED]: evict,
  },
};

/** The scale sets of a subscription in one region. */
export const scaleSetsByLocation: ResourceType = {
  provider: COMPUTE,
  type: `locations/${SCALE_SETS}`,
  isInSubscription: true,
  list: listScaleSets,
};

/** The virtual machines of a scale set. */
export const scaleSetInstances: ResourceType = {
  provider: COMPUTE,
  type: `${SCALE_SETS}/virtualMachines`,
  get: getInstance,
  put: putInstance,
  delete: deleteInstance,
  list: listInstances,
  views: { instanceview: getInstanceView },
  actions: {
    reimage: instanceAction("reimage"),
    reimageall: instanceAction("reimageall"),
    deallocate: instanceAction("deallocate"),
    start: instanceAction("start"),
    poweroff: instanceAction("poweroff"),
    restart: instanceAction("restart"),
    redeploy: instanceAction("redeploy"),
    simulateeviction: simulateEviction,
  },
  machines: instanceMachines,
};

/** The network interfaces of one instance, in Network's form. */
export const instanceInterfaces: ResourceType = {
  provider: COMPUTE,
  type: `${SCALE_SETS}/virtualMachines/networkInterfaces`,
  get: getInstanceInterface,
  list: listInstanceInterfaces,
};

/** The network interfaces of all instances of a set. */
export const scaleSetInterfaces: ResourceType = {
  provider: COMPUTE,
  type: `${SCALE_SETS}/networkInterfaces`,
  list: listSetInterfaces,
};
