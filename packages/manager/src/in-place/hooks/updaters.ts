import { ExtensionConfig, type Frozen, type Machine } from "@capstan/api";
import { type CacheReader, Failure } from "@capstan/runtime";
import { hookPath, type UpdaterHook } from "./hook-api.ts";
import type { HookClient } from "./hook-client.ts";
import { readAcceptedChanges, readUpdateAnswer } from "./messages.ts";
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
  request: object,
): Promise<UpdaterAnswer> {
  try {
    const body = await call(ports, updater, { hook: "CanUpdateMachine", request });
    return { accepted: readAcceptedChanges(body) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isIgnored = updater.handlers.CanUpdateMachine.failurePolicy === "Ignore";
    return isIgnored ? { ignored: error.message } : { failed: error.message };
  }
}

/** Calls an updater for one machine: the first call starts the update, the others ask for its progress. */
export async function callUpdater(
  ports: UpdaterPorts,
  updater: Updater,
  { metadata }: Frozen<Machine>,
): Promise<UpdateAnswer> {
  const { name, namespace } = metadata;
  const request = { machine: { name, namespace } };
  return readUpdateAnswer(await call(ports, updater, { hook: "UpdateMachine", request }));
}

function call(
  { hooks }: UpdaterPorts,
  { config, handlers }: Updater,
  { hook, request }: { readonly hook: UpdaterHook; readonly request: object },
): Promise<unknown> {
  const { name, timeoutMs } = handlers[hook];
  const { settings } = config.spec;
  const hasSettings = settings !== undefined && Object.keys(settings).length > 0;
  const body = { ...request, ...(hasSettings && { settings }) };
  return hooks.call({ config, hook, path: hookPath(hook, name), body, timeoutMs });
}
