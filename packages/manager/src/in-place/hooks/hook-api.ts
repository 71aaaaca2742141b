/** The API of the extensions that Cluster API calls; all of them answer its discovery. */
export const DISCOVERY_API = "hooks.runtime.cluster.x-k8s.io/v1alpha1";
/** The API of updaters, with the messages of the proposal: updaters accept the paths of fields. */
export const UPDATER_API = "updaters.capstan.dev/v1alpha1";

/** The hooks of an updater. */
export const UPDATER_HOOKS = ["CanUpdateMachine", "UpdateMachine"] as const;
/** The hooks of an updater, with the one that only Cluster API's dialect has: a question about all machines of a set. */
export type UpdaterHook = (typeof UPDATER_HOOKS)[number] | "CanUpdateMachineSet";
/** The hooks that ask which changes an updater can make. */
export type QuestionHook = Exclude<UpdaterHook, "UpdateMachine">;

/** The path of the discovery, below the path of the extension. */
export const DISCOVERY_PATH = `/${DISCOVERY_API}/discovery`;

/** The API of an updater's hooks: the proposal's, or Cluster API's own. */
export type HooksApi = typeof UPDATER_API | typeof DISCOVERY_API;

/** The path of a hook, below the path of the extension. */
export function hookPath(api: HooksApi, hook: UpdaterHook, handler: string): string {
  return `/${api}/${hook.toLowerCase()}/${handler}`;
}
