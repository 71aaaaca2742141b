import { integer, listOf, optional, string } from "../schema/schema.ts";

/** What the controller of machine sets records about its work; the same in all versions. */
export const machineSetProgress = {
  deletingReplicas: optional(integer("How many machines are being deleted.")),
  creatingMachines: optional(
    listOf(
      "The names of machines that the controller creates, written before it creates them.",
      string("The name of a machine.", { minLength: 1, maxLength: 253 }),
      { maxItems: 1000 },
    ),
  ),
  propagatedHash: optional(
    string(
      "Two hashes: of the fields of the spec, and of the labels and annotations, that the controller last gave to all machines.",
      {
        maxLength: 64,
      },
    ),
  ),
};
