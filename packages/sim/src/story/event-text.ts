import type { Happening, TraceEvent } from "../trace/trace-event.ts";
import { clockText } from "./clock-text.ts";

/** A happening of one kind. */
export type HappeningOf<K extends Happening["kind"]> = Extract<Happening, { readonly kind: K }>;

/** The verb for each event of a machine or node. */
const VERBS: Readonly<Record<HappeningOf<"machine" | "node">["event"], string>> = {
  created: "was created",
  booted: "booted",
  reimaged: "was re-imaged",
  modelApplied: "got the newest model",
  started: "started",
  stopped: "stopped",
  deleted: "was deleted",
  joined: "joined",
  ready: "became Ready",
  notReady: "became NotReady",
  cordoned: "was cordoned",
  uncordoned: "was uncordoned",
  gone: "is gone",
};

/** The verb for an event of one machine or node, or of several. */
export function verbOf(event: HappeningOf<"machine" | "node">["event"], count: number): string {
  const verb = VERBS[event];
  return count === 1 ? verb : verb.replace(/^was /, "were ").replace(/^is /, "are ");
}

/** The name of a machine, and ` of SET` when it is an instance of a scale set. */
export function machineText(machine: string): { readonly name: string; readonly ofScaleSet: string } {
  const slash = machine.indexOf("/");
  if (slash < 0) return { name: machine, ofScaleSet: "" };
  return { name: machine.slice(slash + 1), ofScaleSet: ` of ${machine.slice(0, slash)}` };
}

const TEXTS: { readonly [K in Happening["kind"]]: (happening: HappeningOf<K>) => string } = {
  step: ({ text }) => text,
  write: ({ verb, cluster, resource, namespace, name, subresource, status }) => {
    const place = [resource, namespace, name, subresource].filter((part) => part !== undefined).join("/");
    return `${verb} ${place} in ${cluster}: ${status}`;
  },
  arm: ({ operation, path, status, code }) =>
    `${operation} ${path}: ${status}${code === undefined ? "" : ` ${code}`}`,
  machine: ({ machine, event }) => {
    const { name, ofScaleSet } = machineText(machine);
    return `machine ${name}${ofScaleSet} ${verbOf(event, 1)}`;
  },
  node: ({ cluster, node, event }) => `node ${node} of ${cluster} ${verbOf(event, 1)}`,
  condition: ({ object, type, status, reason, message }) =>
    `${object}: ${type} is ${status}${because(reason, message)}`,
  guestFailure: ({ machine, reason, message }) => `guest of ${machine} failed${because(reason, message)}`,
  fault: ({ fault, text }) => `${fault}: ${text}`,
  process: ({ process, event }) => `${process} ${event}`,
  violation: ({ invariant, text }) => `${invariant} does not hold: ${text}`,
};

/** The text of a happening. */
export function happeningText(happening: Happening): string {
  const render = TEXTS[happening.kind] as (happening: Happening) => string;
  return render(happening);
}

/** One event as a line: time, step, actor, text. */
export function eventText({ atMs, step, actor, happening }: TraceEvent): string {
  return `${clockText(atMs)}  step ${step}  ${actor}  ${happeningText(happening)}`;
}

/** The reason and message of a statement, if given. */
export function because(reason: string, message: string): string {
  return [reason, message]
    .filter((part) => part !== "")
    .map((part, index) => (index === 0 ? `, ${part}` : `: ${part}`))
    .join("");
}
