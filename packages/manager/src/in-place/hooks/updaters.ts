import { ExtensionConfig } from "@capstan/api";
import { type CacheReader, Failure } from "@capstan/runtime";
import type { MachineObjects, UpdaterQuestion } from "../machine-objects.ts";
import { canUpdateBody, patchedObjects, progressIn, updateBody } from "./cluster-api.ts";
import { hookPath, UPDATER_API, type UpdaterHook } from "./hook-api.ts";
import type { HookClient } from "./hook-client.ts";
import { messageIn, readAcceptedChanges, readUpdateAnswer } from "./messages.ts";
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

/** Asks an updater which changes it can make. */
export async function askUpdater(
  ports: UpdaterPorts,
  updater: Updater,
  question: UpdaterQuestion,
): Promise<UpdaterAnswer> {
  try {
    return await answerOf(ports, updater, question);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // failurePolicy is about missing answers. With a fallback, the owner would replace machines for an ignored error.
    const isAnswer = error.reason === "UpdaterError";
    const isIgnored = !isAnswer && updater.handlers.CanUpdateMachine.failurePolicy === "Ignore";
    return isIgnored ? { ignored: error.message } : { failed: error.message };
  }
}

async function answerOf(
  ports: UpdaterPorts,
  updater: Updater,
  { request, objects, changesFrom }: UpdaterQuestion,
): Promise<UpdaterAnswer> {
  const hook = "CanUpdateMachine";
  if (updater.api === UPDATER_API) {
    const answer = await call(ports, updater, { hook, request });
    return { accepted: readAcceptedChanges(answer), ...messageIn(answer) };
  }
  const body = await call(ports, updater, { hook, request: canUpdateBody(objects) });
  const left = new Set(changesFrom(patchedObjects(body, objects.current)));
  return { accepted: request.changes.filter((path) => !left.has(path)), ...messageIn(body) };
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
  const { name, timeoutMs } = handlers[hook];
  const { settings } = config.spec;
  const hasSettings = settings !== undefined && Object.keys(settings).length > 0;
  const body = { ...request, ...(hasSettings && { settings }) };
  return hooks.call({ config, hook, path: hookPath(api, hook, name), body, timeoutMs });
}
