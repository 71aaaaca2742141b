import type { ReasonText } from "./reason-text.ts";

const UNDER_WAY = "Nothing: it passes by itself; `capstan prototype status POOL` shows how far it is.";
const DESIRED = "Nothing: this is the desired state.";

/** Reasons of the images that pools and templates take of their machines. */
export const PROTOTYPE_REASONS = {
  Aborted: {
    meaning: "A renewal of the image ended early; its snapshot and its version are deleted.",
    cure: "Read `status.nodePrototyping.lastError` of the AzureMachinePool.",
  },
  Aborting: {
    meaning: "A renewal of the image ended early, and what it has left is being deleted.",
    cure: UNDER_WAY,
  },
  AnnotatingImage: {
    meaning: "The annotations with the image of a deleted template are removed before the image is.",
    cure: UNDER_WAY,
  },
  AwaitingBootstrapData: {
    meaning: "The canary of a new image waits for bootstrap data with which it can join.",
    cure: UNDER_WAY,
  },
  AwaitingModel: {
    meaning: "The scale set has to be written with another image, which the pool controller does.",
    cure: "Nothing if it is short; if it lasts, read the condition `ScaleSetRunning` of the pool, and whether the pool is paused.",
  },
  CleaningSnapshot: {
    meaning: "The image version is complete, and its snapshot is being deleted.",
    cure: UNDER_WAY,
  },
  Collecting: { meaning: "Image versions that are not needed any more are being deleted.", cure: UNDER_WAY },
  DonorGone: {
    meaning: "The machine that an image is taken of, or its Node, is gone.",
    cure: "Nothing: the next renewal takes another machine.",
  },
  DonorIdentityAtRest: {
    meaning:
      "Images of the pool contain the identity of their donors; machines remove it at their first boot from such an image. The message says why it was not removed before.",
    cure: "Give read access to the gallery only to those who may have node access; [security of node images](../node-image-security.md) says what it contains.",
  },
  GalleryUnusable: {
    meaning:
      "The gallery or the image definition that a renewal would use exists, and does not take an image of the donor. No node was disturbed.",
    cure: "Delete what the message names, or tag the gallery as owned by the Cluster; it is read again within ten minutes.",
  },
  IdentityRemoved: {
    meaning: "The images of the pool are free of the identity of their donors.",
    cure: DESIRED,
  },
  ImageLimit: {
    meaning:
      "Azure would not take an image of the donor: its OS disk has 2 TB or more, or the subscription has as many galleries, definitions or versions in the region as it may. No node was disturbed.",
    cure: "Do what the message says; the limits are read again within ten minutes.",
  },
  MachinesChanging: {
    meaning: "No renewal begins while a MachineDeployment of the template rolls or scales.",
    cure: UNDER_WAY,
  },
  NothingToRenew: {
    meaning: "The pool does not use `spec.template.image.nodePrototyping`, or its AzureCluster is missing.",
    cure: DESIRED,
  },
  PinUnknown: {
    meaning: "The version that a user has pinned is not kept, or was rolled back; nothing changes.",
    cure: "Pin one of the versions that the message names, or run `capstan prototype unpin POOL`.",
  },
  Pinned: {
    meaning: "A user has pinned a version of the image: new machines boot from it, and it is not renewed.",
    cure: "Nothing; `capstan prototype unpin POOL` lets images be renewed again.",
  },
  PoolChanging: {
    meaning: "No renewal begins while the pool changes; the message names the condition.",
    cure: UNDER_WAY,
  },
  PoolRolling: { meaning: "No renewal begins while machines are replaced or updated.", cure: UNDER_WAY },
  PoolScaling: { meaning: "No renewal begins while the pool is scaled.", cure: UNDER_WAY },
  Preparing: {
    meaning: "The donor gets the script that removes its identity from copies at their first boot.",
    cure: UNDER_WAY,
  },
  Promoted: { meaning: "New machines boot from an image of the donor.", cure: DESIRED },
  Promoting: { meaning: "The image version becomes the one that new machines boot from.", cure: UNDER_WAY },
  Protecting: {
    meaning: "The donor is annotated, so that no other controller or autoscaler touches it.",
    cure: UNDER_WAY,
  },
  PrototypeBreakerOpen: {
    meaning: "Three renewals failed in a row; from now on one is tried each interval.",
    cure: "Correct the cause in the message, then run `capstan prototype now POOL`.",
  },
  PrototypeCanaryFailed: {
    meaning:
      "A machine that booted from the new image did not become a sound Node; the version is deleted, and new machines boot from the image before.",
    cure: "Correct or delete the donor that the version was made of, then run `capstan prototype now POOL`.",
  },
  PrototypeCanaryPassed: {
    meaning: "A machine that booted from the new image was Ready with an identity of its own.",
    cure: DESIRED,
  },
  PrototypeCanarySkipped: {
    meaning: "The new image was promoted without a machine that tested it; the message says why.",
    cure: "Raise the quota of the size of the machines by one machine, if that is the cause.",
  },
  PrototypeDonorBack: { meaning: "The donor is in service again.", cure: DESIRED },
  PrototypeDonorLost: {
    meaning: "The donor did not come back within 15 minutes, and the pool replaces it.",
    cure: "Look at the machine in Azure if it happens again: its serial log says why it did not boot.",
  },
  PrototypeDraining: { meaning: "The donor takes no more pods, and its pods are evicted.", cure: UNDER_WAY },
  PrototypeFailed: {
    meaning:
      "A step of a renewal failed; the donor is brought back, and the next renewal waits longer each time.",
    cure: "Correct the cause in the message, then run `capstan prototype now POOL`.",
  },
  PrototypeHelperRefused: {
    meaning:
      "Azure refused the virtual machine that removes the identity of the donor from the copy of its disk, mostly for lack of quota. New nodes remove it at their first boot, and restart once.",
    cure: "Raise the quota of the size of the machines by one machine, then run `capstan prototype now POOL`.",
  },
  PrototypeInterrupted: {
    meaning: "A renewal gave way to a pause, a switch, a deletion or a change of the pool.",
    cure: "Nothing: the donor is brought back, and the next renewal begins later.",
  },
  PrototypeNotRolledBack: {
    meaning:
      "A rollback was asked for, but the pool has no image of its own, or the version that a user wants to leave is not in use any more.",
    cure: "Nothing, if it was rolled back already; else change the image in the spec.",
  },
  PrototypePromoted: { meaning: "New machines boot from an image of the donor.", cure: DESIRED },
  PrototypeRebuilt: {
    meaning: "The status of the pool was lost, and its record was rebuilt from tags in Azure.",
    cure: DESIRED,
  },
  PrototypeRestoring: { meaning: "The donor is being started again.", cure: UNDER_WAY },
  PrototypeRolledBack: { meaning: "New machines boot from the image before.", cure: DESIRED },
  PrototypeRolledBackByItself: {
    meaning:
      "Nodes from the newest image did not join, and nodes from the image before did not fail; new machines boot from the image before. Existing nodes stay.",
    cure: "Read `/var/log/cloud-init-output.log` of a machine that failed; correct or delete the donor, then run `capstan prototype now POOL`.",
  },
  PrototypeSkipped: {
    meaning: "Nothing had changed on the donor, so no image was taken.",
    cure: "Nothing; `capstan prototype now POOL` takes one anyway.",
  },
  PrototypeSnapshot: { meaning: "The snapshot of the donor is complete.", cure: DESIRED },
  PrototypeStarted: {
    meaning: "A renewal begins; the message names the donor, and why other machines were passed over.",
    cure: DESIRED,
  },
  PrototypeStopping: { meaning: "The donor is being stopped for its snapshot.", cure: UNDER_WAY },
  PrototypeVersionLost: {
    meaning:
      "Another client has deleted the image version that new machines boot from; they boot from the version before, or from the image in the spec.",
    cure: "Nothing: the next renewal publishes a version. `capstan prototype now POOL` asks for one at once.",
  },
  Publishing: {
    meaning: "The snapshot is being copied into the gallery, which takes minutes or hours.",
    cure: UNDER_WAY,
  },
  Removing: { meaning: "The images of the pool are being deleted.", cure: UNDER_WAY },
  Restoring: { meaning: "The donor is on its way back into service.", cure: UNDER_WAY },
  RolledBack: { meaning: "New machines boot from the image before.", cure: DESIRED },
  RolledBackByItself: {
    meaning:
      "Nodes from the newest image did not join within `rollbackWindow`, and new machines boot from the image before; the message names them.",
    cure: "Correct or delete the donor, then run `capstan prototype now POOL`; delete the machines that failed.",
  },
  RollingBack: { meaning: "New machines get the image before.", cure: UNDER_WAY },
  Scrubbing: {
    meaning: "A helper VM removes the identity of the donor from a copy of its disk.",
    cure: UNDER_WAY,
  },
  Snapshotting: { meaning: "The snapshot of the stopped donor is being taken.", cure: UNDER_WAY },
  StatusLost: {
    meaning: "The status of the pool was lost in the middle of a renewal, for example by a move.",
    cure: "Nothing: the donor is brought back, and the next renewal begins later.",
  },
  Stopping: { meaning: "The donor is being stopped for its snapshot.", cure: UNDER_WAY },
  SwitchedOff: {
    meaning:
      "The manager runs without the feature gate NodePrototyping, or the template is one of a control plane or of machines that are updated in place.",
    cure: "Start the manager with `AZURE_NODE_OS_CACHING=true`, or remove the setting.",
  },
  Validating: {
    meaning: "A temporary machine boots from the new image before other machines do.",
    cure: UNDER_WAY,
  },
  VersionsDiffer: {
    meaning:
      "No renewal begins while the MachineDeployments of a template have different Kubernetes versions.",
    cure: "Give them one version, or a template each.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
