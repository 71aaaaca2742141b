import type { ReasonText } from "./reason-text.ts";

/** Reasons of AzureMachines. */
export const AZURE_MACHINE_REASONS = {
  ForeignResource: {
    meaning: "A resource of the machine's name exists in Azure and does not have the tags of the cluster.",
    cure: "Delete the resource that the message names, or create the machine with another name.",
  },
  VMDeleted: {
    meaning:
      "The virtual machine was deleted in Azure, not by its Machine. It is never created again in place.",
    cure: "Delete the Machine; its MachineSet or a MachineHealthCheck creates another one.",
  },
  VMFailed: {
    meaning:
      "Azure reports the virtual machine as Failed. It may recover, so it is observed every ten minutes.",
    cure: "Read the message of the condition VMRunning; delete the Machine if the virtual machine does not recover.",
  },
  VMSizeNotFound: {
    meaning: "The region of the cluster offers no virtual machines of the size that the template names.",
    cure: "Create a template with a size that the region offers, and refer to it.",
  },
  VMSizeUnsuitable: {
    meaning:
      "By Azure's list of sizes, the size is too small for Kubernetes, or the region does not offer it, its zone or its ultra disks. Nothing is written to Azure.",
    cure: "Set the field that the message names to a value that the region offers.",
  },
  WaitingForMachineOwner: {
    meaning: "No Machine names this AzureMachine in `infrastructureRef` yet.",
    cure: "Create the Machine, or correct its `spec.infrastructureRef`.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
