import type { ReasonText } from "./reason-text.ts";

const PROGRESS = "Nothing: this only reports progress.";

/** Reasons of updates in place. */
export const IN_PLACE_REASONS = {
  ChangesNotCovered: {
    meaning:
      "No updater makes some of the changes of the template, and the MachineDeployment or KubeadmControlPlane has no `fallbackRollingUpdate`. No machine is updated or replaced.",
    cure: "Change the template, register an updater for the fields in the message, or set `fallbackRollingUpdate` in `spec.rollout.strategy`.",
  },
  Discovered: { meaning: "The extension answered the discovery.", cure: PROGRESS },
  InjectingAuthority: {
    meaning: "The controller copies the certificate authority of the extension from its Secret.",
    cure: PROGRESS,
  },
  MachineMoved: {
    meaning: "The MachineDeployment gave a machine to the MachineSet with the new template; updaters follow.",
    cure: PROGRESS,
  },
  NotAnUpdater: {
    meaning: "The extension answers, but does not implement both hooks of updaters.",
    cure: "Nothing if it has another purpose; otherwise implement CanUpdateMachine and UpdateMachine.",
  },
  NotDiscovered: {
    meaning:
      "The extension did not answer the discovery, its answer is not valid, or its ExtensionConfig is not. It is not called.",
    cure: "Read the message; correct the address, the certificate, the settings or the answer of the extension.",
  },
  NotUpdating: { meaning: "No updater works on the machine.", cure: PROGRESS },
  UpToDate: {
    meaning: "The machine has the template of its owner, and no updater works on it.",
    cure: PROGRESS,
  },
  UpdateFailed: {
    meaning: "An updater reported that it cannot update the machine, or was not done in time.",
    cure: "Read the message. Change the template, set the annotation `in-place-updates.capstan.dev/retry` of the Machine to a new value, or delete the Machine.",
  },
  UpdateNotRecorded: {
    meaning: "The Machine looks like one in an update, but its owner did not start this update.",
    cure: "Delete the machine, or remove `spec.updaters` and the annotations that the message names.",
  },
  UpdateStarted: {
    meaning:
      "The owner of a machine, a MachineSet or a KubeadmControlPlane, wrote its desired state; its updaters may run.",
    cure: PROGRESS,
  },
  UpdaterDone: { meaning: "An updater is done with the machine; the next one follows.", cure: PROGRESS },
  UpdaterNotRegistered: {
    meaning: "`spec.updaters` of the Machine names an updater that no discovered ExtensionConfig has.",
    cure: "Register the updater, or remove its name from `spec.updaters`.",
  },
  UpdaterReady: { meaning: "The extension implements both hooks of updaters.", cure: PROGRESS },
  UpdatersNotAnswering: {
    meaning:
      "An updater did not say which changes it can make, so it is not known whether machines can be updated in place. No machine is updated or replaced until it answers.",
    cure: "Read the message; correct the updater, set its failure policy to Ignore, or delete its ExtensionConfig.",
  },
  WaitingForApproval: {
    meaning:
      "The first machine was updated in place, and the MachineDeployment or KubeadmControlPlane asks for an approval of the others.",
    cure: "Look at the first machine, then set the annotation that the message names.",
  },
  WatchingSecret: {
    meaning: "The controller compares the certificate authority of the extension with its Secret.",
    cure: PROGRESS,
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
