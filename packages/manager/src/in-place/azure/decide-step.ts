/**
 * The next step of a virtual machine toward its size and tags. Pure. All that it needs to know is in Azure: the state of the
 * machine, and two tags that each change of the size writes in the same request. So an update goes on after a crash, from
 * whichever process.
 */
import type { AzureErrorClass, VirtualMachine } from "@capstan/azure";

type Tags = Readonly<Record<string, string>>;

/** Tag: the size that the machine had before, for the way back, and the boot of its Node then. Removed when the update is done. */
const RESIZED_FROM_TAG = "capstan_resized-from";
/** Tag: the size that Azure has refused for now, the request for it, and Azure's words. Removed by the next update that is done. */
const RESIZE_REFUSED_TAG = "capstan_resize-refused";

/** What a machine should be. */
export interface DesiredMachine {
  readonly size: string;
  /** Tags that it must have; it keeps all others. */
  readonly tags: Tags;
  /** Identifies the request of a user to try a refused size again; one word. */
  readonly attempt: string;
}

/** The Node of the machine, as its Machine reports it. */
export interface ObservedNode {
  /** Changes with each boot; empty while it is unknown. */
  readonly bootID: string;
  readonly isReady: boolean;
}

/** An update of a machine, as it is now. */
export interface ObservedUpdate {
  readonly machine: VirtualMachine;
  readonly desired: DesiredMachine;
  readonly node: ObservedNode;
  /** The sizes that the machine can take where it is, in lower case; needed only while it has another size. */
  readonly sizesHere: ReadonlySet<string>;
  /** The words of Azure about a write of this pass that it has refused. */
  readonly refused?: string;
}

/** The next step, and why. */
export type MachineStep = { readonly why: string } & (
  | { readonly do: "finish" }
  | { readonly do: "fail" }
  | { readonly do: "wait" }
  | { readonly do: "deallocate" | "start" }
  /** Tags replace all tags of the machine. */
  | { readonly do: "patch"; readonly size?: string; readonly tags: Tags }
);

/** Decides the next step. */
export function decideStep(observed: ObservedUpdate): MachineStep {
  const { machine, desired } = observed;
  const { name, provisioningState } = machine;
  if (isBusy(machine))
    return { do: "wait", why: `Azure is working on ${name} (${provisioningState}, ${machine.powerState})` };
  return isSize(machine.size, desired.size) ? withSize(observed) : withOtherSize(observed);
}

function isBusy({ provisioningState, powerState }: VirtualMachine): boolean {
  return (
    ["Creating", "Updating", "Deleting"].includes(provisioningState) ||
    ["starting", "stopping", "deallocating"].includes(powerState)
  );
}

/** The machine has the size: it must run, with its tags. */
function withSize(observed: ObservedUpdate): MachineStep {
  const { machine, desired } = observed;
  const from = beforeResize(machine)?.size;
  const words = refusalOf(observed);
  if (words !== undefined && from !== undefined && !isSize(from, desired.size)) {
    const tags = {
      ...without(machine.tags, RESIZED_FROM_TAG),
      [RESIZE_REFUSED_TAG]: refusalTag(desired, words),
    };
    return { do: "patch", size: from, tags, why: `${machine.name} goes back to ${from}: ${words}` };
  }
  if (machine.powerState !== "running")
    return { do: "start", why: `${machine.name} has the size ${desired.size} and is ${machine.powerState}` };
  const awaited = awaitedNode(observed);
  if (awaited !== undefined) return { do: "wait", why: awaited };
  const tags = { ...without(machine.tags, RESIZED_FROM_TAG, RESIZE_REFUSED_TAG), ...desired.tags };
  return sameTags(tags, machine.tags)
    ? { do: "finish", why: `${machine.name} runs with the size ${desired.size} and its tags` }
    : { do: "patch", tags, why: `${machine.name} gets its tags` };
}

/** A machine that is done counts as available, and a Node seems Ready for a while after its machine has stopped. */
function awaitedNode({ machine, node }: ObservedUpdate): string | undefined {
  const before = beforeResize(machine);
  if (!before || before.bootID === "") return undefined;
  if (node.bootID === before.bootID) return `${machine.name} runs; its Node has not reported the restart yet`;
  return node.isReady ? undefined : `${machine.name} runs; its Node is not Ready yet`;
}

/** The size of a machine before this update, and the boot of its Node. */
function beforeResize({
  tags,
}: VirtualMachine): { readonly size: string; readonly bootID: string } | undefined {
  const [size = "", bootID = ""] = (tags[RESIZED_FROM_TAG] ?? "").split(" ");
  return size === "" ? undefined : { size, bootID };
}

function withOtherSize(observed: ObservedUpdate): MachineStep {
  const { machine, desired, sizesHere, node } = observed;
  const { name, size, powerState, tags } = machine;
  const known = refusedBefore(machine, desired);
  if (known !== undefined) {
    const why = `${name} stays ${size}: Azure refused ${desired.size}: ${known}`;
    return powerState === "running" ? { do: "fail", why } : { do: "start", why };
  }
  const words = refusalOf(observed);
  if (words !== undefined) {
    const refused = { ...without(tags, RESIZED_FROM_TAG), [RESIZE_REFUSED_TAG]: refusalTag(desired, words) };
    return { do: "patch", tags: refused, why: `${name} stays ${size}: ${words}` };
  }
  if (powerState !== "deallocated" && !sizesHere.has(desired.size.toLowerCase()))
    return { do: "deallocate", why: `the hardware of ${name} does not run ${desired.size}` };
  const after = {
    ...without(tags, RESIZE_REFUSED_TAG),
    [RESIZED_FROM_TAG]: tags[RESIZED_FROM_TAG] ?? `${size} ${node.bootID}`.trim(),
  };
  return {
    do: "patch",
    size: desired.size,
    tags: after,
    why: `${name} goes from ${size} to ${desired.size}`,
  };
}

// After these, the same request cannot succeed soon, or ever; others pass, such as an agent that reports late.
const REFUSALS: ReadonlySet<AzureErrorClass> = new Set(["Capacity", "Quota", "Terminal", "Conflict"]);

/** Azure's words about the size: in the answer to a write of this pass, or in the state of a machine whose size we have changed. */
function refusalOf({ machine, refused }: ObservedUpdate): string | undefined {
  if (refused !== undefined) return refused;
  const { error, provisioningState, tags } = machine;
  const isOurs = provisioningState === "Failed" && tags[RESIZED_FROM_TAG] !== undefined;
  return isOurs && error && REFUSALS.has(error.class) ? `${error.code}: ${error.message}` : undefined;
}

// The longest value of a tag.
const LONGEST_TAG = 256;

function refusalTag({ size, attempt }: DesiredMachine, words: string): string {
  return `${size} ${attempt} ${words}`.slice(0, LONGEST_TAG);
}

/** Azure's words, if it has refused this size before and no user has asked again. */
function refusedBefore({ tags }: VirtualMachine, { size, attempt }: DesiredMachine): string | undefined {
  const [refusedSize = "", before, ...words] = (tags[RESIZE_REFUSED_TAG] ?? "").split(" ");
  return isSize(refusedSize, size) && before === attempt ? words.join(" ") : undefined;
}

function isSize(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function without(tags: Tags, ...names: readonly string[]): Tags {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !names.includes(name)));
}

function sameTags(one: Tags, other: Tags): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
