/** The SDK for updaters: programs that change machines in place when Capstan asks them to. */
export { defineUpdater, type Updater, type UpdaterDefinition } from "./define-updater.ts";
export {
  type CanUpdateRequest,
  type CanUpdateResult,
  done,
  failed,
  type FieldPath,
  inProgress,
  isBelow,
  type UpdatedObject,
  type UpdateRequest,
  type UpdateResult,
} from "./messages.ts";
export {
  kubeadmUpgrade,
  type KubeadmUpgradePorts,
  type ScriptResult,
  type UpgradedMachine,
} from "./kubeadm-upgrade/kubeadm-upgrade.ts";
export { machineReader } from "./kubeadm-upgrade/read-machine.ts";
export { deployManifests, type DeployOptions } from "./deploy.ts";
export {
  type CheckResult,
  checkConformance,
  type ConformanceOptions,
  type ConformanceReport,
  conformanceText,
} from "./conformance/conformance.ts";
export { ServeProblem } from "./serve-problem.ts";
export { runUpdater, type Surroundings } from "./run-updater.ts";
export { serveUpdater, type ServeUpdaterOptions } from "./serve-updater.ts";
export { type TestObjects, underTest, type UpdaterUnderTest, type WireUpdateAnswer } from "./test-kit.ts";
