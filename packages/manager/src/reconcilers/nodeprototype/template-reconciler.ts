import {
  AzureCluster,
  AzureMachine,
  AzureMachinePool,
  AzureMachineTemplate,
  Cluster,
  type Frozen,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  templatePrototypingOf,
} from "@capstan/api";
import { defineReconciler, type ObjectName, on, type Reconciler } from "@capstan/runtime";
import { drainRulesByNamespace } from "../../workload/drain/drain-rules.ts";
import {
  advance,
  advanceWhilePaused,
  collectSurplus,
  connect,
  interrupt,
  recover,
  removeImages,
  verifyVersion,
} from "./steps/advance.ts";
import { controlPlanesByTemplate, donorIndexes, donorNodes } from "./indexes.ts";
import { allowMoveWhilePaused, guardMove } from "./block-clusterctl-move.ts";
import { LAST_OS_CACHE, report } from "./report.ts";
import { type NodePrototypePorts, sharedBy } from "./scope.ts";
import { hasFailedMachine, templateOfFailed } from "./fleet/joins.ts";
import { judgeNewNodes } from "./steps/judge-new-nodes.ts";
import { templateIndexes } from "./fleet/template-fleet.ts";
import { annotateImage, type TemplateScope, templateScope } from "./fleet/template-scope.ts";
import { refersTo } from "../../contract/reference.ts";

/**
 * Renews the image that new machines of a template boot from, from a healthy machine of the template: the same steps as for
 * a pool. The template's spec never changes; the MachineSet controller puts the image into the clones.
 */
export function templatePrototypeReconciler(ports: NodePrototypePorts): Reconciler {
  const shared = sharedBy(ports);
  return defineReconciler<AzureMachineTemplate, TemplateScope>({
    name: "templateprototype",
    for: AzureMachineTemplate,
    condition: LAST_OS_CACHE,
    finalizer: "nodeprototype.capstan.dev",
    // A template that never used the feature is not touched.
    needsFinalizer: (template) =>
      template.status?.nodePrototyping !== undefined || templatePrototypingOf(template) !== undefined,
    indexes: [drainRulesByNamespace, controlPlanesByTemplate, ...templateIndexes, ...donorIndexes],
    watches: [
      on(MachineDeployment, templatesOf),
      on(Machine, templateOfFailed, {
        predicate: (before, after) => hasFailedMachine(before) !== hasFailedMachine(after),
      }),
    ],
    // The record of a renewal says when to look at these.
    reads: [
      MachineSet,
      AzureMachine,
      AzureMachinePool,
      KubeadmControlPlane,
      Cluster,
      MachineDrainRule,
      AzureCluster,
    ],
    sources: [donorNodes(AzureMachineTemplate, ports)],
    scope: (context) => templateScope(shared, context),
    normal: [
      connect,
      recover,
      interrupt,
      guardMove,
      verifyVersion,
      judgeNewNodes,
      advance,
      annotateImage,
      collectSurplus,
    ],
    deleting: [connect, interrupt, advance, annotateImage, removeImages],
    whilePaused: [advanceWhilePaused, allowMoveWhilePaused],
    status: report,
  });
}

/** The template of a MachineDeployment. */
function templatesOf({ metadata, spec }: Frozen<MachineDeployment>): readonly ObjectName[] {
  const { infrastructureRef } = spec.template.spec;
  const { name } = infrastructureRef;
  return refersTo(infrastructureRef, AzureMachineTemplate) ? [{ name, namespace: metadata.namespace }] : [];
}
