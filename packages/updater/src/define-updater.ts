import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import {
  canUpdateAnswer,
  discoveryAnswer,
  handlersFor,
  machineToUpdate,
  updateAnswer,
} from "./cluster-api/answers.ts";
import { ABOUT_MACHINE, ABOUT_SET, HOOKS_API, hookPath, UPDATE } from "./cluster-api/wire.ts";
import { BadRequest, bodyOf, type JsonObject, settingsIn } from "./request-body.ts";
import {
  type CanUpdateRequest,
  type CanUpdateResult,
  type FieldPath,
  resultOf,
  type UpdateRequest,
  type UpdateResult,
} from "./messages.ts";

/** The paths that an updater accepts, or more about them. */
type CanUpdateAnswer = readonly FieldPath[] | CanUpdateResult;

/** An updater: a name, and an answer to each of the two questions that Capstan asks. */
export interface UpdaterDefinition {
  /** The name of its ExtensionConfig. */
  readonly name: string;
  /** The changes that it can make, of those in the request: as a list, or with a reason and a wish to drain. It must not change anything. */
  canUpdate(request: CanUpdateRequest): CanUpdateAnswer | Promise<CanUpdateAnswer>;
  /**
   * Starts the update of a machine, or says how far it is. Called any number of times, before and after the update is
   * complete; a call for a machine that is as its spec says returns `done()`. An exception counts as no answer: Capstan
   * calls again.
   */
  update(request: UpdateRequest): UpdateResult | Promise<UpdateResult>;
  /** How long a call may take before Capstan gives up waiting for the answer; 10 s unless given, at most 30. */
  readonly timeoutSeconds?: number;
}

/** An updater that can be served. */
export interface Updater extends UpdaterDefinition {
  /** Answers the requests of Capstan: for a server, or for tests without one. */
  readonly handle: Handler;
}

const UPDATER_API = "updaters.capstan.dev/v1alpha1";
// Its discovery gets the hooks of the proposal; that of Cluster API's controllers refuses hooks that it does not know.
const CAPSTAN = "capstan";
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LONGEST_TIMEOUT_SECONDS = 30;

/** Defines an updater; `serveUpdater` serves it. Throws if the definition could not be registered. */
export function defineUpdater(definition: UpdaterDefinition): Updater {
  const { name, timeoutSeconds = 10 } = definition;
  if (!NAME.test(name))
    throw new TypeError(`name ${JSON.stringify(name)} must be a DNS label, such as kubeadm-upgrade`);
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= LONGEST_TIMEOUT_SECONDS))
    throw new TypeError(`timeoutSeconds ${timeoutSeconds} must be between 1 and ${LONGEST_TIMEOUT_SECONDS}`);
  return { ...definition, handle: handlerOf(definition) };
}

function handlerOf(definition: UpdaterDefinition): Handler {
  const running = new Map<string, Promise<UpdateResult>>();
  const routes: Readonly<Record<string, Route>> = {
    [`/${HOOKS_API}/discovery`]: (_, { headers }) =>
      Promise.resolve(
        headers["user-agent"] === CAPSTAN ? discovery(definition) : discoveryAnswer(definition),
      ),
    [hookPath(UPDATER_API, ABOUT_MACHINE)]: (body) => canUpdate(definition, body),
    [hookPath(UPDATER_API, UPDATE)]: async (body) =>
      responseOf(await update(definition, updateRequestIn(body, body["machine"]), running)),
    [hookPath(HOOKS_API, ABOUT_MACHINE)]: (body) => canUpdateAnswer(definition, ABOUT_MACHINE, body),
    [hookPath(HOOKS_API, ABOUT_SET)]: (body) => canUpdateAnswer(definition, ABOUT_SET, body),
    [hookPath(HOOKS_API, UPDATE)]: async (body) =>
      updateAnswer(await update(definition, updateRequestIn(body, machineToUpdate(body)), running)),
  };
  return async (request) => {
    const route = routes[request.path.split("?")[0] ?? ""];
    if (!route) return answer(404, { message: `updater ${definition.name} has nothing at ${request.path}` });
    if (request.method !== "POST") return answer(405, { message: "use POST" });
    try {
      return answer(200, await route(bodyOf(request), request));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return answer(error instanceof BadRequest ? 400 : 500, { message });
    }
  };
}

type Route = (body: JsonObject, request: HttpRequest) => Promise<object>;

function discovery(definition: UpdaterDefinition): object {
  const handlers = handlersFor(definition, UPDATER_API, [ABOUT_MACHINE, UPDATE]);
  return { apiVersion: HOOKS_API, kind: "DiscoveryResponse", status: "Success", handlers };
}

async function canUpdate(definition: UpdaterDefinition, body: JsonObject): Promise<object> {
  const { changes } = body;
  if (!Array.isArray(changes) || !changes.every((path) => typeof path === "string"))
    throw new BadRequest("changes must be a list of paths");
  const request = { ...body, settings: settingsIn(body) } as unknown as CanUpdateRequest;
  const { acceptedChanges, message, needsDrain } = resultOf(await definition.canUpdate(request));
  return {
    error: null,
    acceptedChanges: acceptedChanges.filter((path) => changes.includes(path)),
    ...(message !== undefined && { message }),
    ...(needsDrain === true && { needsDrain }),
  };
}

/** Two calls for one machine share one run: Capstan may call again before the first call has ended. */
async function update(
  definition: UpdaterDefinition,
  request: UpdateRequest,
  running: Map<string, Promise<UpdateResult>>,
): Promise<UpdateResult> {
  const key = `${request.machine.namespace}/${request.machine.name}`;
  const known = running.get(key);
  const run = known ?? Promise.resolve(request).then((one) => definition.update(one));
  running.set(key, run);
  try {
    return await run;
  } finally {
    running.delete(key);
  }
}

function updateRequestIn(body: JsonObject, machine: unknown): UpdateRequest {
  const { name, namespace } = (machine ?? {}) as JsonObject;
  if (typeof name !== "string" || typeof namespace !== "string")
    throw new BadRequest("machine must have a name and a namespace");
  return { machine: { name, namespace }, settings: settingsIn(body) };
}

function responseOf(result: UpdateResult): object {
  switch (result.status) {
    case "Done":
      return { error: null, status: "Done" };
    case "InProgress": {
      const { tryAgain, message } = result;
      return { error: null, status: "InProgress", tryAgain, ...(message !== undefined && { message }) };
    }
    case "Error":
      return { error: result.error || "the updater gave no reason", status: "Error" };
  }
}

function answer(status: number, body: object): HttpResponse {
  const text = JSON.stringify(body);
  return {
    status,
    headers: { "content-type": "application/json" },
    json: () => Promise.resolve(JSON.parse(text) as unknown),
    text: () => Promise.resolve(text),
    lines: async function* () {
      yield await Promise.resolve(JSON.parse(text) as unknown);
    },
  };
}
