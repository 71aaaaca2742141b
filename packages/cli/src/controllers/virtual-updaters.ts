import type { World, WorldOptions } from "@capstan/sim";
import { kubeadmUpgrade, machineReader } from "@capstan/updater";
import { inProcess } from "../cluster/transport.ts";

/** The updaters that run in a simulated world: the reference updater, at the Service that `capstan up` has it at. */
export function virtualUpdaters(current: () => World): NonNullable<WorldOptions["servers"]> {
  const { handle } = kubeadmUpgrade({
    readMachine: (namespace, name) => machineReader(inProcess(current().management.handle))(namespace, name),
    runScript: (providerID, script) => Promise.resolve(current().guests.run(providerID, script)),
  });
  return { [REFERENCE_UPDATER]: () => handle };
}

/** The host of the reference updater. */
const REFERENCE_UPDATER = "kubeadm-upgrade.capstan-system.svc";
