import {
  AzureMachine,
  type AzureMachineTemplate,
  controllerOf,
  deprecatedConditionsOf,
  type Frozen,
  groupOf,
  isTrue,
  isUpdatingInPlace,
  type KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineSet,
  PROTOTYPE_IMAGE_ANNOTATION,
  sameArmId,
} from "@capstan/api";
import { type CacheReader, type Context, index } from "@capstan/runtime";
import { cloneSourceOf } from "../../../contract/clone-template.ts";
import { referenceKey } from "../../../contract/reference.ts";
import type { Candidate, HistoryEntry, NewMachine } from "@capstan/plan";
import { isInPlace } from "../../../in-place/strategy.ts";
import { NODE_HEALTHY } from "../../../machines/conditions.ts";
import { EXCLUDED } from "./candidates.ts";
import type { Fleet, FleetChange, FleetMachine } from "./fleet.ts";
import { joinOf } from "./joins.ts";

const CONDITIONS = ["Ready", NODE_HEALTHY];
const BY_TEMPLATE = "clones-of-template";
/** The name of the index over what refers to a template. */
export const USERS_OF_TEMPLATE = "users-of-template";

type Template = Frozen<AzureMachineTemplate>;
type User = Frozen<MachineDeployment> | Frozen<MachineSet>;

function infrastructureKeys({ metadata, spec }: User): readonly string[] {
  return [referenceKey(spec.template.spec.infrastructureRef, metadata.namespace ?? "")];
}

/** How the machines of a template are found. */
export const templateIndexes = [
  index(AzureMachine, BY_TEMPLATE, ({ metadata }) => {
    const source = cloneSourceOf(metadata);
    return source === undefined ? [] : [referenceKey(source, metadata.namespace ?? "")];
  }),
  index(MachineDeployment, USERS_OF_TEMPLATE, infrastructureKeys),
  index(MachineSet, USERS_OF_TEMPLATE, infrastructureKeys),
];

/** The key of a template in the indexes. */
export function referenceKeyOf({ apiVersion, kind, metadata }: Template): string {
  return referenceKey({ apiGroup: groupOf(apiVersion), kind, name: metadata.name }, metadata.namespace ?? "");
}

/** The MachineDeployments and MachineSets whose machines are created from a template. */
interface ReferringObjects {
  readonly deployments: readonly Frozen<MachineDeployment>[];
  readonly sets: readonly Frozen<MachineSet>[];
}

/** The MachineDeployments that refer to a template, and the MachineSets that do and belong to none. */
export function usersOf(template: Template, cache: CacheReader): readonly User[] {
  const value = referenceKeyOf(template);
  return usersIn({
    deployments: deploymentsOf(template, cache),
    sets: cache.list(MachineSet, { index: USERS_OF_TEMPLATE, value }),
  });
}

function deploymentsOf(template: Template, cache: CacheReader): readonly Frozen<MachineDeployment>[] {
  return cache.list(MachineDeployment, { index: USERS_OF_TEMPLATE, value: referenceKeyOf(template) });
}

function usersIn({ deployments, sets }: ReferringObjects): readonly User[] {
  return [...deployments, ...sets.filter((set) => controllerOf(set)?.kind !== MachineDeployment.kind)].filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
}

/** The objects among those given that refer to a template. */
function referringTo(template: Template, { deployments, sets }: ReferringObjects): ReferringObjects {
  const key = referenceKeyOf(template);
  const refers = (user: User): boolean => infrastructureKeys(user).includes(key);
  return { deployments: deployments.filter(refers), sets: sets.filter(refers) };
}

/** What the objects of a template tell about its machines, without their Nodes: a machine belongs to a MachineSet of it. */
export function templateFacts(
  template: Template,
  given: ReferringObjects & { readonly machines: readonly Frozen<Machine>[] },
): Pick<Fleet, "desired" | "sizeField" | "changing"> & { readonly candidates: () => readonly Candidate[] } {
  const referring = referringTo(template, given);
  const users = usersIn(referring);
  const version = versionOf(users);
  const sets = new Set(referring.sets.map(({ metadata }) => metadata.uid));
  const isOfTemplate = (machine: Frozen<Machine>): boolean =>
    machine.spec.providerID !== undefined && sets.has(controllerOf(machine)?.uid ?? "");
  return {
    ...sizeOf(users),
    changing: () => changeOf(users, version),
    candidates: () =>
      given.machines.filter(isOfTemplate).map((machine) => ({
        ...factsOf(machine, version),
        isCordoned: false,
        hasNode: machine.status?.nodeRef !== undefined,
      })),
  };
}

function sizeOf(users: readonly User[]): Pick<Fleet, "desired" | "sizeField"> {
  return {
    desired: users.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0),
    sizeField: "spec.replicas of the MachineDeployments of the template",
  };
}

/** Why images of the machines of a template are not taken at all. */
export function refusalOf(template: Template, using: RefusedUsers): string | undefined {
  const key = referenceKeyOf(template);
  const controlPlane = using.controlPlanes.find(
    ({ metadata, spec }) =>
      referenceKey(spec.machineTemplate.spec.infrastructureRef, metadata.namespace ?? "") === key,
  );
  if (controlPlane)
    return `KubeadmControlPlane ${controlPlane.metadata.name} uses the template: images are taken of workers only`;
  const inPlace = using.deployments.find(
    (one) => infrastructureKeys(one).includes(key) && isInPlace(one.spec.rollout?.strategy),
  );
  if (!inPlace) return undefined;
  return `MachineDeployment ${inPlace.metadata.name} updates its machines in place, which keep the image they were created from`;
}

/** The objects whose machines must keep their image or must not stop. */
export interface RefusedUsers {
  readonly controlPlanes: readonly Frozen<KubeadmControlPlane>[];
  readonly deployments: readonly Frozen<MachineDeployment>[];
}

/** The Kubernetes version of the machines that are created from a template; undefined if its users do not agree. */
function versionOf(users: readonly User[]): string | undefined {
  const [version, ...others] = new Set(users.map(({ spec }) => spec.template.spec.version ?? ""));
  return others.length === 0 ? version : undefined;
}

/** The machines of an AzureMachineTemplate: the clones of it, through the Machines that own them. */
export function templateFleet({ object: template, cache, client }: Context<AzureMachineTemplate>): Fleet {
  const users = usersOf(template, cache);
  const version = versionOf(users);
  const clones = () => cache.list(AzureMachine, { index: BY_TEMPLATE, value: referenceKeyOf(template) });
  const machines = (): readonly FleetMachine[] =>
    clones().flatMap((clone) => fleetMachine(clone, cache, version) ?? []);
  const { nodePrototyping: _, ...image } = template.spec.template.spec.image ?? {};
  return {
    ...sizeOf(users),
    version,
    vmSize: template.spec.template.spec.vmSize,
    baseImage: image,
    bootstrap: undefined,
    hasMachines: users.length > 0 && clones().length > 0,
    machines,
    changing: () => changeOf(users, version),
    bootsFrom: (definitionID) =>
      sameArmId(template.metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION] ?? "", definitionID),
    mayBootFromPrototype: () =>
      template.metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION] !== undefined ||
      clones().some(isAboutToBoot),
    newMachines: (active) => clones().flatMap((clone) => newMachine(clone, active, cache) ?? []),
    writeToSpec: () => Promise.resolve(true),
    restoreSpec: () => Promise.resolve(true),
    rollSince: async (promotedAt) => {
      for (const deployment of deploymentsOf(template, cache))
        if (!isRolledSince(deployment, promotedAt))
          await client.patch(MachineDeployment, deployment.metadata, {
            type: "merge",
            body: { spec: { rollout: { after: promotedAt } } },
          });
      return true;
    },
  };
}

/** Whether a MachineDeployment replaces machines from before this time, or a later one that a user has written. */
function isRolledSince({ spec }: Frozen<MachineDeployment>, promotedAt: string): boolean {
  return Date.parse(spec.rollout?.after ?? "") >= Date.parse(promotedAt);
}

/** Whether the virtual machine of a clone is still to be created from an image that is not the template's own. */
function isAboutToBoot({ spec, metadata }: Frozen<AzureMachine>): boolean {
  const isWaiting = spec.providerID === undefined && metadata.deletionTimestamp === undefined;
  return isWaiting && spec.image?.id !== undefined;
}

function newMachine(
  clone: Frozen<AzureMachine>,
  active: HistoryEntry,
  cache: CacheReader,
): NewMachine | undefined {
  const machine = machineOfClone(clone, cache);
  if (!machine) return undefined;
  return {
    machine: machine.metadata.name,
    image: bootsFromVersion(clone, active) ? "new" : "before",
    createdMs: Date.parse(clone.metadata.creationTimestamp ?? ""),
    join: machine.status?.nodeRef ? "joined" : joinOf(deprecatedConditionsOf(machine), NODE_HEALTHY),
  };
}

/** A clone names the definition: Azure took the version that was the latest when the machine was created. */
function bootsFromVersion(
  { metadata, spec }: Frozen<AzureMachine>,
  { id, createdAt }: HistoryEntry,
): boolean {
  const [definition = ""] = id.split("/versions/");
  const isSince = Date.parse(metadata.creationTimestamp ?? "") >= Date.parse(createdAt);
  return isSince && sameArmId(spec.image?.id ?? "", definition);
}

function machineOfClone({ metadata }: Frozen<AzureMachine>, cache: CacheReader): Frozen<Machine> | undefined {
  const owner = controllerOf({ metadata });
  if (owner?.kind !== Machine.kind) return undefined;
  return cache.get(Machine, { name: owner.name, namespace: metadata.namespace });
}

function fleetMachine(
  clone: Frozen<AzureMachine>,
  cache: CacheReader,
  version: string | undefined,
): FleetMachine | undefined {
  const { spec } = clone;
  const machine = machineOfClone(clone, cache);
  if (!machine || spec.providerID === undefined) return undefined;
  return {
    object: machine,
    kind: Machine,
    providerID: spec.providerID,
    nodeRef: machine.status?.nodeRef,
    instanceID: spec.providerID.split("/").at(-1) ?? "",
    facts: factsOf(machine, version),
  };
}

function factsOf(machine: Frozen<Machine>, version: string | undefined): FleetMachine["facts"] {
  const { metadata, spec, status } = machine;
  const { annotations = {}, creationTimestamp = "", deletionTimestamp, name } = metadata;
  return {
    machine: name,
    createdMs: Date.parse(creationTimestamp),
    isReady: status?.nodeRef !== undefined,
    isUpToDate: version !== undefined && (spec.version ?? "") === version,
    isDeleting: deletionTimestamp !== undefined,
    isUpdating: isUpdatingInPlace(machine),
    falseConditions: CONDITIONS.filter((type) => !isTrue(deprecatedConditionsOf(machine), type)),
    ...(EXCLUDED in annotations && { excludedBy: EXCLUDED }),
  };
}

/** Why the machines must not be disturbed: a user of the template rolls or scales, as its controller has last reported. */
function changeOf(users: readonly User[], version: string | undefined): FleetChange | undefined {
  if (users.length > 0 && version === undefined) {
    const why = "the MachineDeployments of the template have different Kubernetes versions";
    return { reason: "VersionsDiffer", why };
  }
  const changing = users.find((user) => !isSettled(user));
  if (!changing) return undefined;
  const { kind, metadata } = changing;
  return { reason: "MachinesChanging", why: `${kind} ${metadata.name} rolls or scales its machines` };
}

function isSettled({ metadata, spec, status }: User): boolean {
  const replicas = spec.replicas ?? 1;
  const updated = status?.upToDateReplicas ?? status?.replicas;
  const isObserved = status?.observedGeneration === metadata.generation;
  return isObserved && status?.replicas === replicas && updated === replicas;
}
