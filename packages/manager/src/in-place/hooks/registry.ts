import {
  deepEqual,
  durationProblem,
  type ExtensionConfig,
  type Frozen,
  parseDuration,
  reportedCondition,
  selectorMatches,
  selectorOf,
  UPDATER_ORDER_ANNOTATION,
} from "@capstan/api";
import { isMoreThanStatus } from "@capstan/runtime";
import {
  DISCOVERY_API,
  type HooksApi,
  type QuestionHook,
  UPDATER_API,
  type UpdaterHook,
} from "./hook-api.ts";

/** A handler of an updater. */
interface UpdaterHandler {
  readonly name: string;
  readonly timeoutMs: number;
  readonly failurePolicy: "Ignore" | "Fail";
}

/** The handlers of an updater: one that updates, and at least one that says what it can update. */
interface UpdaterHandlers extends Readonly<Partial<Record<QuestionHook, UpdaterHandler>>> {
  readonly UpdateMachine: UpdaterHandler;
}

/** A registered updater: an ExtensionConfig with a handler for each hook of updaters. */
export interface Updater {
  /** The name of the ExtensionConfig; `spec.updaters` of a Machine has these names. */
  readonly name: string;
  readonly config: Frozen<ExtensionConfig>;
  /** The dialect that it is called in. */
  readonly api: HooksApi;
  readonly handlers: UpdaterHandlers;
  /** How long one machine may take, if not the manager's default. */
  readonly updateTimeoutMs?: number;
  /** Whether Nodes are drained before it updates them: Cluster API's messages have no field for it. */
  readonly needsDrain?: boolean;
}

/** The condition of an ExtensionConfig whose handlers are known. */
export const DISCOVERED = "Discovered";
/** The setting of an ExtensionConfig with the time limit of one machine. */
export const UPDATE_TIMEOUT_SETTING = "updateTimeout";
/** The setting of an ExtensionConfig by which Nodes are drained before the extension updates them. */
export const NEEDS_DRAIN_SETTING = "needsDrain";
const DEFAULT_TIMEOUT_SECONDS = 10;

/** The updaters for objects of a namespace, in the order in which they are asked and run. */
export function updatersFor(
  configs: readonly Frozen<ExtensionConfig>[],
  namespaceLabels: Readonly<Record<string, string>>,
): readonly Updater[] {
  return configs
    .filter(({ spec }) => selectorMatches(selectorOf(spec.namespaceSelector ?? {}), namespaceLabels))
    .toSorted(byOrder)
    .flatMap((config) => updaterOf(config) ?? []);
}

/** The updater that an ExtensionConfig registers; undefined when it is not one, or is not discovered. */
export function updaterOf(config: Frozen<ExtensionConfig>): Updater | undefined {
  if (!isDiscovered(config) || config.metadata.deletionTimestamp !== undefined) return undefined;
  // The paths of the proposal say which changes an extension refuses, so its dialect comes first.
  const [spoken] = ([UPDATER_API, DISCOVERY_API] as const).flatMap((api) => {
    const update = handlerOf(config, api, "UpdateMachine");
    const questions = QUESTIONS.flatMap((hook) => {
      const handler = handlerOf(config, api, hook);
      return handler ? [[hook, handler] as const] : [];
    });
    return update && questions.length > 0
      ? [{ api, handlers: { ...Object.fromEntries(questions), UpdateMachine: update } }]
      : [];
  });
  if (!spoken) return undefined;
  const timeout = config.spec.settings?.[UPDATE_TIMEOUT_SETTING] ?? "";
  const isLimited = timeout !== "" && durationProblem(timeout) === undefined;
  return {
    name: config.metadata.name,
    config,
    ...spoken,
    ...(config.spec.settings?.[NEEDS_DRAIN_SETTING] === "true" && { needsDrain: true }),
    ...(isLimited && { updateTimeoutMs: parseDuration(timeout) }),
  };
}

const QUESTIONS: readonly QuestionHook[] = ["CanUpdateMachine", "CanUpdateMachineSet"];

function handlerOf(
  { metadata, status }: Frozen<ExtensionConfig>,
  api: HooksApi,
  hook: UpdaterHook,
): UpdaterHandler | undefined {
  const handler = status?.handlers?.find(
    ({ requestHook }) => requestHook.apiVersion === api && requestHook.hook === hook,
  );
  if (!handler) return undefined;
  const suffix = `.${metadata.name}`;
  return {
    name: handler.name.endsWith(suffix) ? handler.name.slice(0, -suffix.length) : handler.name,
    timeoutMs: (handler.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    failurePolicy: handler.failurePolicy ?? "Fail",
  };
}

function isDiscovered(config: Frozen<ExtensionConfig>): boolean {
  return reportedCondition(config, DISCOVERED)?.status === "True";
}

/** A change of the discovered handlers, or of the order of updaters. */
export function changesUpdaters(before: Frozen<ExtensionConfig>, after: Frozen<ExtensionConfig>): boolean {
  return (
    isMoreThanStatus(before, after) ||
    isDiscovered(before) !== isDiscovered(after) ||
    !deepEqual(before.status?.handlers, after.status?.handlers)
  );
}

/** By the order annotation, then by age, then by name; updaters without the annotation come last. */
function byOrder(a: Frozen<ExtensionConfig>, b: Frozen<ExtensionConfig>): number {
  const difference = orderOf(a) - orderOf(b);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return compare(ageKey(a), ageKey(b));
}

function orderOf({ metadata }: Frozen<ExtensionConfig>): number {
  const text = metadata.annotations?.[UPDATER_ORDER_ANNOTATION] ?? "";
  return /^-?[0-9]{1,9}$/.test(text) ? Number(text) : Infinity;
}

function ageKey({ metadata }: Frozen<ExtensionConfig>): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
