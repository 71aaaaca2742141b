/** Sequences of requests that a real kube-apiserver 1.35 has answered, one file a topic. */
import { readFileSync } from "node:fs";

/** One request and its answer. Versions, ids and times are symbols: equal ones mean equal values. */
export interface Step {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly body?: unknown;
    readonly statusObject?: unknown;
    readonly warnings?: readonly string[];
    /** The time of each entry of managedFields: `t:N` is the Nth distinct second, null none. */
    readonly times?: readonly (string | null)[];
  };
}

/** A story on one object, from its creation. */
export interface Sequence {
  readonly id: string;
  readonly title: string;
  /** The definition that it needs, by its plural. */
  readonly crd?: string;
  readonly steps: readonly Step[];
}

/** The topics, each a file. */
export const TOPICS = [
  "basics",
  "updates",
  "managed-fields",
  "lists",
  "custom-resources",
  "subresources",
  "metadata",
  "versions",
  "core-kinds",
  "client-side-apply",
  "bodies",
  "order",
  "created-kinds",
] as const;

/** The sequences of a topic. */
export function sequencesOf(topic: (typeof TOPICS)[number]): readonly Sequence[] {
  return read(topic) as Sequence[];
}

/** A definition that sequences need. */
export function definitionOf(plural: string): unknown {
  return (read("crds") as Record<string, unknown>)[plural];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), "utf8"));
}
