import { reference } from "./references.ts";
import { type FieldRule, seconds } from "./rules.ts";

/** The rules for the fields of a machine below a path: those of a Machine, or of the template of an owner of machines. */
export function machineSpec(path: string): FieldRule[] {
  return [
    ...deletionTimeouts(path, `${path}.deletion`),
    reference(`${path}.bootstrap.configRef`),
    reference(`${path}.infrastructureRef`),
  ];
}

/** The rules for the timeouts of a deletion. */
export function deletionTimeouts(older: string, newer: string): FieldRule[] {
  const prefix = older === "" ? "" : `${older}.`;
  return ["nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"].map((name) =>
    seconds(`${prefix}${name}`, `${newer}.${name}Seconds`),
  );
}
