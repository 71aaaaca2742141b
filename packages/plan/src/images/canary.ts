/** The decisions about the machine that boots from a version before others do. All are pure and level-based. */
import type { GalleryState } from "./steps.ts";

/** What became of a canary. */
export interface CanaryVerdict {
  readonly result: "Passed" | "Failed" | "Skipped";
  readonly why: string;
}

/** The Node of the canary. */
export interface CanaryNode {
  readonly isReady: boolean;
  readonly machineID: string;
  readonly bootID: string;
  readonly kubeletVersion: string;
  /** How many container images it reports. */
  readonly images: number;
}

/** Everything that the next step of a canary depends on. */
export interface CanaryFacts {
  /** Why there is no canary; undefined when there is one. */
  readonly skippedBecause: string | undefined;
  readonly verdict: CanaryVerdict | undefined;
  /** The image version, which another client may delete. */
  readonly version: GalleryState;
  readonly scaleSet: GalleryState;
  readonly instance:
    | { readonly state: string; readonly isRunning: boolean; readonly error: string }
    | undefined;
  readonly node: CanaryNode | undefined;
  /** The boot in which its Node was first seen; undefined before. */
  readonly firstBootID: string | undefined;
  /** What a run command on it has found; undefined before it is asked. */
  readonly inspection:
    | { readonly isOver: boolean; readonly error: string; readonly flaws: string }
    | undefined;
  readonly expected: {
    /** The version in the spec, and that of the donor: the image in the spec may have another one. */
    readonly kubeletVersions: readonly string[];
    /** How many container images the Node of the donor reported. */
    readonly images: number;
    /** The machine ids of the other Nodes. */
    readonly machineIDs: ReadonlySet<string>;
  };
  readonly isOverdue: boolean;
}

/** What is done next with the canary. */
export type CanaryStep =
  | {
      readonly do: "create" | "wait" | "observe" | "inspect" | "delete" | "promote" | "fail";
      readonly why: string;
    }
  | { readonly do: "judge"; readonly verdict: CanaryVerdict; readonly why: string };

/** Boots one machine from the version and looks at its Node. The verdict is recorded before the machine is deleted. */
export function decideCanary(facts: CanaryFacts): CanaryStep {
  const { verdict, scaleSet, skippedBecause, isOverdue } = facts;
  if (verdict) return afterVerdict(verdict, scaleSet);
  if (skippedBecause !== undefined) return judged("Skipped", skippedBecause);
  if (facts.version !== "Succeeded") return judged("Failed", "the image version is gone");
  if (scaleSet === undefined) {
    if (isOverdue) return judged("Skipped", "the canary could not be created in time");
    return { do: "create", why: "the version is complete" };
  }
  return instanceStep(facts) ?? nodeStep(facts);
}

function afterVerdict({ result, why }: CanaryVerdict, scaleSet: GalleryState): CanaryStep {
  if (scaleSet !== undefined) return { do: "delete", why: `the canary has its verdict: ${why}` };
  return { do: result === "Failed" ? "fail" : "promote", why };
}

function judged(result: CanaryVerdict["result"], why: string): CanaryStep {
  return { do: "judge", verdict: { result, why }, why };
}

/** A machine that Azure does not start says nothing about the image. */
function instanceStep({ instance, scaleSet, isOverdue }: CanaryFacts): CanaryStep | undefined {
  if (instance?.isRunning === true) return undefined;
  if (instance?.state === "Failed") return judged("Skipped", `Azure could not start it: ${instance.error}`);
  if (!instance && scaleSet === "Failed") return judged("Skipped", "Azure could not create it");
  if (isOverdue) return judged("Skipped", "Azure did not start it in time");
  return { do: "wait", why: "Azure creates the canary" };
}

function nodeStep(facts: CanaryFacts): CanaryStep {
  const { node, firstBootID, isOverdue } = facts;
  if (node && firstBootID === undefined) return { do: "observe", why: "the canary has joined" };
  const flaw = node && flawOf(node, facts);
  if (flaw !== undefined) return judged("Failed", flaw);
  if (node?.isReady === true) return inspectionStep(facts);
  if (!isOverdue) return { do: "wait", why: node ? "its Node is not Ready yet" : "it has not joined yet" };
  return judged("Failed", node ? "its Node was not Ready in time" : "it did not join in time");
}

/** A Node does not report its host keys, nor what was on its disk before it booted. */
function inspectionStep({ inspection, isOverdue }: CanaryFacts): CanaryStep {
  if (inspection?.isOver === true) {
    if (inspection.error !== "") return judged("Failed", `it could not be inspected: ${inspection.error}`);
    if (inspection.flaws !== "") return judged("Failed", inspection.flaws);
    return judged("Passed", "a new machine is Ready, with an identity of its own");
  }
  if (isOverdue) return judged("Failed", "its Node is Ready, but it did not answer a run command in time");
  if (!inspection) return { do: "inspect", why: "its Node is Ready" };
  return { do: "wait", why: "a run command looks for what its image had of the donor" };
}

function flawOf(node: CanaryNode, { expected, firstBootID }: CanaryFacts): string | undefined {
  const { kubeletVersions, machineIDs, images } = expected;
  if (machineIDs.has(node.machineID)) return `its Node has the machine id ${node.machineID} of another Node`;
  if (kubeletVersions.length > 0 && !kubeletVersions.includes(node.kubeletVersion))
    return `its kubelet has the version ${node.kubeletVersion}, and new machines need ${kubeletVersions.join(" or ")}`;
  if (node.bootID !== firstBootID) return "it has restarted after it had joined";
  if (node.isReady && node.images < images)
    return `it has ${node.images} container images, and its donor had ${images}`;
  return undefined;
}
