import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { machineIdIn } from "../../machine-id.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { type Commit, Commits, isManager } from "./commits.ts";
import { UserMarks } from "./marks.ts";
import { UserTags } from "./user-tags.ts";

const MACHINES = "azuremachinepoolmachines";
const KINDS: ReadonlySet<string> = new Set(["azuremachinepools", "machinepools", MACHINES]);

/**
 * I24. What users put on pools, machines and Nodes, and other clients on a scale set, stays until they remove it. An update
 * in place replaces the machine's Node; the new one has the same labels, annotations and taints.
 */
export const takesNothingAway: Invariant = {
  name: "takes-nothing-away",
  says: "labels, annotations, taints and tags that users put on pools, machines, Nodes and scale sets stay there, also over an update in place",
  watch: (truth) => {
    const commits = new Commits(truth);
    const marks = new UserMarks();
    const tags = new UserTags(truth);
    return {
      happened: (event) => {
        for (const commit of commits.of(event)) {
          const problem = lossIn(truth, marks, commit);
          if (problem !== undefined) return problem;
        }
        return tags.note(event);
      },
    };
  },
};

function lossIn(truth: Truth, marks: UserMarks, commit: Commit): string | undefined {
  const id = idOf(commit);
  if (id === undefined) return undefined;
  const { object, isDeletion, resource, actor } = commit;
  if (isDeletion) {
    // A Node that a manager deletes during an update comes back; other deleted Nodes are gone, with everything on them.
    if (resource !== "nodes" || !isManager(actor)) marks.forget(id);
    return undefined;
  }
  const problem = marks.note(id, commit);
  if (problem !== undefined) return `${object.kind} ${object.metadata.name}: ${problem}`;
  return resource === MACHINES ? lossByUpdate(truth, marks, commit) : undefined;
}

/** The identity of an object: for a Node its machine, which outlives it. */
function idOf({ cluster, resource, object }: Commit): string | undefined {
  if (resource === "nodes") return machineIdIn((object as Frozen<Node>).spec?.providerID);
  return cluster === "management" && KINDS.has(resource) ? object.metadata.uid : undefined;
}

/** After an update, the new Node has everything of the old one. */
function lossByUpdate(truth: Truth, marks: UserMarks, { object, previous }: Commit): string | undefined {
  const { metadata, spec } = object as unknown as Machine;
  const isOver = isUpdating(previous) && !isUpdating(object);
  if (!isOver || metadata.deletionTimestamp !== undefined) return undefined;
  const id = machineIdIn(spec.providerID) ?? "";
  const node = truth.node(id)?.node;
  const missing = node && marks.missingIn(id, node);
  return missing && `Node ${node.metadata.name} is back from an update in place without "${missing}"`;
}

type Machine = Frozen<AzureMachinePoolMachine>;

function isUpdating(machine: object | undefined): boolean {
  return (machine as Machine | undefined)?.status?.instanceUpdate !== undefined;
}
