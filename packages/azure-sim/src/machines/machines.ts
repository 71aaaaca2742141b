import { keyOf } from "../arm/target.ts";
import type { Machine, MachineRecord, MachineSource } from "./machine.ts";

/** The virtual machines of the cloud, of whichever type of resource, by ARM id. */
export class Machines {
  readonly #sources: MachineSource[] = [];

  /** Adds a type of resource whose resources are machines. */
  add(source: MachineSource): void {
    this.#sources.push(source);
  }

  /** What Compute keeps about a machine, by its id in lower case: for callers that ask often. */
  record(machineId: string): MachineRecord | undefined {
    for (const source of this.#sources) {
      const found = source.record(machineId);
      if (found) return found;
    }
    return undefined;
  }

  /** A machine from the inside, by its id in any case. */
  machine(id: string): Machine | undefined {
    const machineId = keyOf(id);
    for (const source of this.#sources) {
      const found = source.machine(machineId);
      if (found) return found;
    }
    return undefined;
  }

  /** All machines, type after type, each in the order of creation. */
  *records(): Generator<MachineRecord> {
    for (const source of this.#sources) yield* source.records();
  }
}
