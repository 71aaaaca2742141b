import { ExtensionConfig } from "@capstan/api";
import { type CacheReader, Failure } from "@capstan/runtime";
import { withAccepted } from "../accepted-changes.ts";
import {
  asMachineObjects,
  type ComparedObjects,
  type MachineObjects,
  type UpdaterQuestion,
} from "../machine-objects.ts";
import {
  affectsAvailabilityIn,
  canUpdateBody,
  patchedObjects,
  progressIn,
  updateBody,
} from "./cluster-api.ts";
import { hookPath, type QuestionHook, UPDATER_API, type UpdaterHook } from "./hook-api.ts";
import type { HookClient } from "./hook-client.ts";
import { messageIn, readAcceptedChanges, readNeedsDrain, readUpdateAnswer } from "./messages.ts";
import type { UpdateAnswer, UpdaterAnswer } from "@capstan/plan";
import { type Updater, updatersFor } from "./registry.ts";

/** The access of controllers to updaters. */
export interface UpdaterPorts {
  readonly hooks: HookClient;
  /** The labels of a namespace, for updaters that select namespaces. */
  readonly namespaceLabels: (name: string) => Promise<Readonly<Record<string, string>>>;
  /** How long an updater may take for one machine, if it does not say otherwise. */
  readonly updateTimeoutMs: number;
}

/** The updaters of a namespace, in their order. */
export async function registeredUpdaters(
  cache: CacheReader,
  { namespaceLabels }: UpdaterPorts,
  namespace: string,
): Promise<readonly Updater[]> {
  const configs = cache.list(ExtensionConfig);
  const hasSelector = configs.some(
    ({ spec: { namespaceSelector = {} } }) => Object.keys(namespaceSelector).length > 0,
  );
  return updatersFor(configs, hasSelector ? await namespaceLabels(namespace) : {});
}

/** The answer of an updater, and the question as it is for the next one. */
export interface AskedUpdater {
  readonly answer: UpdaterAnswer;
  readonly next: UpdaterQuestion;
}

/** Asks an updater which changes it can make. The next one sees the objects with these changes. */
export async function askUpdater(
  ports: UpdaterPorts,
  updater: Updater,
  question: UpdaterQuestion,
): Promise<AskedUpdater> {
  const hook = questionHook(updater, question);
  try {
    if (!hook) return { answer: { accepted: [] }, next: question };
    return updater.api === UPDATER_API
      ? await askByPaths(ports, updater, question)
      : await askByObjects(ports, updater, { hook, question });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // failurePolicy is about missing answers. With a fallback, the owner would replace machines for an ignored error.
    const isAnswer = error.reason === "UpdaterError";
    const isIgnored = !isAnswer && hook && updater.handlers[hook]?.failurePolicy === "Ignore";
    return { answer: isIgnored ? { ignored: error.message } : { failed: error.message }, next: question };
  }
}

/** As in Cluster API, a question is about a whole set if there is one; an extension may only know machines. */
function questionHook({ handlers }: Updater, { sets }: UpdaterQuestion): QuestionHook | undefined {
  if (sets && handlers.CanUpdateMachineSet) return "CanUpdateMachineSet";
  return handlers.CanUpdateMachine ? "CanUpdateMachine" : undefined;
}

async function askByPaths(
  ports: UpdaterPorts,
  updater: Updater,
  question: UpdaterQuestion,
): Promise<AskedUpdater> {
  const { request } = question;
  const body = await call(ports, updater, { hook: "CanUpdateMachine", request });
  const accepted = readAcceptedChanges(body);
  const answer = { accepted, needsDrain: readNeedsDrain(body), ...messageIn(body) };
  return { answer, next: withAccepted(question, accepted) };
}

interface Asked {
  readonly hook: QuestionHook;
  readonly question: UpdaterQuestion;
}

async function askByObjects(
  ports: UpdaterPorts,
  updater: Updater,
  { hook, question }: Asked,
): Promise<AskedUpdater> {
  const { request, objects, sets, changesBetween } = question;
  const isAboutSet = hook === "CanUpdateMachineSet" && sets !== undefined;
  const compared = isAboutSet ? sets : objects;
  const body = await call(ports, updater, { hook, request: canUpdateBody(hook, compared) });
  const current = patchedObjects(hook, body, compared.current);
  const before = isAboutSet ? asMachines(compared) : compared;
  const after = isAboutSet ? asMachines({ ...compared, current }) : { ...compared, current };
  const shown = new Set(changesBetween(before));
  const left = new Set(changesBetween(after));
  // A machine may differ from its template: what the extension was not shown, it has not accepted.
  const accepted = request.changes.filter((path) => !left.has(path) && (!isAboutSet || shown.has(path)));
  const next = withAccepted(question, accepted);
  const needsDrain = updater.needsDrain === true;
  const affectsAvailability = affectsAvailabilityIn(body);
  return {
    answer: { accepted, needsDrain, affectsAvailability, ...messageIn(body) },
    next: isAboutSet
      ? { ...next, sets: { ...compared, current } }
      : { ...next, objects: { ...compared, current } },
  };
}

function asMachines({ current, desired }: ComparedObjects): ComparedObjects {
  return { current: asMachineObjects(current), desired: asMachineObjects(desired) };
}

/** Calls an updater for one machine: the first call starts the update, the others ask for its progress. */
export async function callUpdater(
  ports: UpdaterPorts,
  updater: Updater,
  objects: MachineObjects,
): Promise<UpdateAnswer> {
  const hook = "UpdateMachine";
  const { name, namespace } = objects.machine.metadata;
  if (updater.api === UPDATER_API)
    return readUpdateAnswer(await call(ports, updater, { hook, request: { machine: { name, namespace } } }));
  return progressIn(await call(ports, updater, { hook, request: updateBody(objects) }));
}

function call(
  { hooks }: UpdaterPorts,
  { config, api, handlers }: Updater,
  { hook, request }: { readonly hook: UpdaterHook; readonly request: object },
): Promise<unknown> {
  const { name, timeoutMs } = handlers[hook] ?? handlers.UpdateMachine;
  const { settings } = config.spec;
  const hasSettings = settings !== undefined && Object.keys(settings).length > 0;
  const body = { ...request, ...(hasSettings && { settings }) };
  return hooks.call({ config, hook, path: hookPath(api, hook, name), body, timeoutMs });
}
