import {
  AzureMachine,
  AzureMachinePoolMachine,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  type CustomKind,
  ExtensionConfig,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  MachineSet,
} from "@capstan/api";
import { CONTROLLERS, type PolicyRule } from "@capstan/manager";
import { type Call, rehearse, type Rehearsal } from "@capstan/sim";
import { expect, test } from "vitest";
import { EVERYTHING } from "../../../packages/cli/src/install/names.ts";
import { clusterRules, NAMESPACE_RULES } from "../../../packages/cli/src/install/role-rules.ts";
import { lifeOf as aksLifeOf, LIFE } from "../azuremanagedcontrolplane/life.ts";
import { lifeOf as machineLifeOf } from "../azuremachine/life.ts";
import { shortLifeOf as shortControlPlaneLife } from "../kubeadmcontrolplane/life.ts";
import { rehearsalOf, STORIES } from "../azuremachinepool/stories.ts";
import { lifeOf, LIVES } from "./life.ts";
import { callsBesideControllers } from "./manager-rights.ts";
import { recorded } from "./recorded.ts";
import { tour } from "./rights.ts";

/** The resources that each manager uses for itself, not for a controller; the roles of `capstan init` grant them as well. */
const OWN_RESOURCES = ["leases", "events", "namespaces"];

function grantedBy(rules: readonly PolicyRule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
    ),
  );
}

/** The rights that a call needs; an apply may create its object. */
function rightsOf({ verb, group = "", resource, subresource, isApply = false }: Call): readonly string[] {
  const place = `${group}/${subresource === undefined ? resource : `${resource}/${subresource}`}`;
  return [`${verb} ${place}`, ...(isApply ? [`create ${place}`] : [])];
}

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].toSorted();

const KINDS_OF_TOUR: readonly CustomKind[] = [
  ExtensionConfig,
  MachineHealthCheck,
  MachineDeployment,
  MachineSet,
  Machine,
];

const KINDS_OF_AKS: readonly CustomKind[] = [
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
];

const STORIES_WITH_CONFLICTS = {
  aks: () => aksLifeOf("2", [...LIFE, "deleted"]),
  machine: () => machineLifeOf({ seed: "2", until: "deleted" }),
  controlPlane: () => shortControlPlaneLife("2", true),
  poolMachine: () => rehearsalOf("delete one machine", "2"),
  tour: () => tour("2"),
  cluster: () => lifeOf({ seed: "2", place: "own group", until: "deleted" }),
};

/** A story with objects of a kind in it. */
function storyWith(kind: CustomKind): keyof typeof STORIES_WITH_CONFLICTS {
  if (KINDS_OF_AKS.includes(kind)) return "aks";
  if (kind === AzureMachine) return "machine";
  if (kind === KubeadmControlPlane) return "controlPlane";
  if (kind === AzureMachinePoolMachine) return "poolMachine";
  return KINDS_OF_TOUR.includes(kind) ? "tour" : "cluster";
}

/** All requests of managers to the management cluster, over all variants of the story. */
async function usedIn(): Promise<readonly Call[]> {
  const { calls, invariant } = recorded();
  const reported = async (
    rehearsal: Rehearsal,
    faults: Parameters<typeof rehearse>[1] = [],
  ): Promise<void> => {
    const { failure } = await rehearse(
      { ...rehearsal, world: { ...rehearsal.world, invariants: [invariant] } },
      faults,
    );
    expect(failure).toBeUndefined();
  };
  for (const life of LIVES) await reported(lifeOf({ seed: "1", ...life }));
  await reported(lifeOf({ seed: "1", place: "own group", until: "deleted", world: { managers: 2 } }));
  await reported(tour("1"));
  await reported(shortControlPlaneLife("1", false));
  await reported(aksLifeOf("1", [...LIFE, "deleted"]));
  for (const story of Object.keys(STORIES)) await reported(rehearsalOf(story, "1"));
  // A controller that finds a changed status reads the object again.
  for (const [story, controllers] of Map.groupBy(CONTROLLERS, ({ kind }) => storyWith(kind))) {
    const conflicts = controllers.map(({ kind }) => ({
      fault: "kube-conflict",
      when: { trigger: { resource: kind.plural, probability: 0.4 } },
    }));
    await reported(STORIES_WITH_CONFLICTS[story](), conflicts);
  }
  // The embedded Azure Service Operator needs no rights: only the simulator runs it.
  return calls.filter(({ server, by }) => server === "management" && !by.startsWith("aso-"));
}

test("managers use exactly the rights that the roles of capstan init grant", async () => {
  const used = await usedIn();
  const all = [
    ...[...used, ...(await callsBesideControllers())].flatMap(rightsOf),
    // Elsewhere a controller reads it live until its watch is established; here the embedded operator watches it first.
    "get resources.azure.com/resourcegroups",
    // A renewal of the image of a template reads the template again after a conflict; none of these stories has one.
    "get infrastructure.cluster.x-k8s.io/azuremachinetemplates",
  ];
  expect(sorted(all)).toEqual(sorted(grantedBy([...clusterRules(EVERYTHING), ...NAMESPACE_RULES])));
  // What a controller does in its own name it has declared itself; it must not depend on the rights of another one.
  const isOwn = ({ resource }: Call): boolean => OWN_RESOURCES.includes(resource);
  for (const { name, rbac } of CONTROLLERS) {
    const declared = new Set(grantedBy(rbac));
    const texts = used.filter((call) => call.by === name && !isOwn(call)).flatMap(rightsOf);
    expect(
      sorted(texts).filter((text) => !declared.has(text)),
      name,
    ).toEqual([]);
  }
});
