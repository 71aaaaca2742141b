import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { CONTROLLERS } from "../packages/manager/src/setup/controllers.ts";
import { PASSED_ON } from "./condition-types.ts";

/** The reasons that one part of the sources gives. */
export interface GivenReasons {
  readonly name: string;
  /** In conditions and outcomes. */
  readonly reasons: readonly string[];
  readonly events: readonly string[];
}

/** All reasons that the sources give, by where they give them. */
export interface ReasonSources {
  /** By kind, as the controllers' folders give them. */
  readonly kinds: readonly GivenReasons[];
  /** By the name of a shared part. */
  readonly shared: readonly GivenReasons[];
  /** What can hold a pool, as the planner names it. */
  readonly holds: readonly string[];
}

// The places where a reason is given: failures, outcomes, conditions. What stands there is a word, a constant, or a
// choice of them. A comparison gives none. The first argument of block() and again() may have calls in calls.
const PLACES =
  /(?:(?:waiting|terminal|transient)\(|(?:block|again)\((?:[^,;()]|\((?:[^()]|\([^()]*\))*\))+?,|refusal\([^,;]+?,|new Failure\("\w+",|\breason(?::| =(?!=))|\bcode:)\s*([^,;)}]+)/g;
const TABLES = /const [A-Z_]*REASONS\b[^=]*= \{([^}]*)\}/g;
const EVENTS = /event\(\{\s*type:[^,]+,\s*reason:\s*([^,}]+)/g;
const WORDS = /"(?!(?:Info|Normal|Warning|Error|True|False|Unknown)")([A-Z][A-Za-z]+)"|\b([A-Z][A-Z_]+)\b/g;
const CONSTANTS = /^(?:export )?const ([A-Z_]+) = "([A-Z][A-Za-z]+)"/gm;
const HOLDS = /export type BlockedReason =([^;]*);/;

/** Codes of errors that we make under a name of Azure or Kubernetes, or that never become a reason. */
const NOT_OURS: ReadonlySet<string> = new Set([
  "MissingApiVersionParameter", // Azure's own code
  "NamespaceNotAllowed", // becomes NamespaceNotAllowedByIdentity
  "TooManyRequests", // Kubernetes' and Entra's own word
]);

/** The parts of the product that give reasons to several kinds, each with its sources. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  any: ["packages/runtime/src/runner/pass.ts"],
  references: ["packages/manager/src/contract/*.ts"],
  azure: ["packages/manager/src/azure-cluster/*.ts", "packages/azure/src/**/*.ts"],
  workload: ["packages/manager/src/workload/*.ts"],
  aks: ["packages/manager/src/aks/**/*.ts", "packages/plan/src/aks/**/*.ts"],
  drain: ["packages/manager/src/workload/drain/*.ts"],
};

const MACHINES = "packages/manager/src/machines/*.ts";

/** What gives reasons to a kind outside of its folder: its planner, and what owners of machines share. */
const ALSO_IN: Readonly<Record<string, readonly string[]>> = {
  KubeadmControlPlane: ["packages/plan/src/rollout/control-plane/*.ts", MACHINES],
  MachineDeployment: ["packages/plan/src/rollout/machine-deployment/**/*.ts", MACHINES],
  MachineSet: ["packages/plan/src/rollout/machine-set/*.ts", MACHINES],
};

/** The reasons that a text gives; constants that it does not declare are looked up among those of other files. */
export function reasonsIn(
  text: string,
  others: ReadonlyMap<string, string> = new Map(),
): Omit<GivenReasons, "name"> {
  const constants = new Map([...others, ...constantsIn(text)]);
  const wordsAt = ([, place = ""]: RegExpExecArray): string[] =>
    [...place.matchAll(WORDS)]
      .flatMap(([, word, constant = ""]) => word ?? constants.get(constant) ?? [])
      .filter((word) => !NOT_OURS.has(word));
  const events = [...text.matchAll(EVENTS)].flatMap(wordsAt);
  const rest = text.replaceAll(EVENTS, "");
  const places = [...rest.matchAll(PLACES), ...rest.matchAll(TABLES)];
  return { reasons: sorted(places.flatMap(wordsAt)), events: sorted(events) };
}

function constantsIn(text: string): readonly [string, string][] {
  return [...text.matchAll(CONSTANTS)].map(([, constant = "", word = ""]) => [constant, word]);
}

/** Reads the reasons from the sources of the product. */
export function readReasonSources(): ReasonSources {
  const all = textOf(["manager", "azure", "plan"].map((name) => `packages/${name}/src/**/*.ts`));
  const constants = new Map(constantsIn(all));
  const given = (name: string, patterns: readonly string[]): GivenReasons => ({
    name,
    ...reasonsIn(textOf(patterns), constants),
  });
  const kinds = CONTROLLERS.map(({ name, kind }) => {
    const own = given(kind.kind, [
      `packages/manager/src/reconcilers/${name}/**/*.ts`,
      ...(ALSO_IN[kind.kind] ?? []),
    ]);
    const passedOn = (PASSED_ON[kind.kind] ?? []).filter((word) => all.includes(`"${word}"`));
    return { ...own, events: sorted([...own.events, ...passedOn]) };
  });
  const shared = Object.entries(SHARED).map(([name, patterns]) => given(name, patterns));
  const action = readFileSync("packages/plan/src/rollout/scale-set/action.ts", "utf8");
  const [, union = ""] = HOLDS.exec(action) ?? [];
  const holds = sorted([...union.matchAll(/"([A-Za-z]+)"/g)].map(([, word = ""]) => word));
  return { kinds, shared, holds };
}

function textOf(patterns: readonly string[]): string {
  return patterns
    .flatMap((pattern) => globSync(pattern))
    .filter((file) => !/test|fixture/.test(basename(file)))
    .toSorted()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

function sorted(words: readonly string[]): readonly string[] {
  return [...new Set(words)].toSorted();
}
