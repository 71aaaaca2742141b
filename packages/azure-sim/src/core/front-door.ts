import { type Answer, reply } from "../arm/answer.ts";
import { parseApiVersion } from "../arm/api-version.ts";
import { parseBody } from "../arm/body.ts";
import { ArmError } from "../arm/errors.ts";
import { parseTarget, resourceId, type Target } from "../arm/target.ts";
import type { Tokens } from "../entra/tokens.ts";
import { refusalOf } from "../faults/faults.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import { textAt } from "../json.ts";
import { checkRegistered } from "../resources/providers/providers.ts";
import { checkGroupTakesWrites, foundGroup } from "../resources/resource-groups/resource-groups.ts";
import { checkSubscription } from "../resources/subscriptions/subscriptions.ts";
import type { Principal } from "../settings.ts";
import type { Call, CallNotes, SimRequest } from "./call.ts";
import type { Route, Router } from "./route.ts";
import type { AzureState } from "./azure-state.ts";

interface Parts {
  readonly world: AzureState;
  readonly tokens: Tokens;
  readonly journal: Journal;
  readonly router: Router;
}

/** What is known about a request when it is answered. */
interface Record {
  readonly path: string;
  principal?: Principal;
  operation: string;
  notes?: CallNotes;
}

/** Takes a request to its handler: authentication, routing, authorization, throttling. */
export class FrontDoor {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  answer(request: SimRequest): Answer {
    const { world, journal } = this.#parts;
    const record: Record = { path: pathOf(request.path), operation: `${request.method} ?` };
    let code: string | undefined;
    let answer: Answer;
    try {
      answer = this.#admitted(request, record);
    } catch (error) {
      if (!(error instanceof ArmError)) throw error;
      code = error.error.code;
      answer = reply(error.status, error.body, error.headers);
    }
    journal.add({
      atMs: world.nowMs,
      method: request.method,
      path: record.path,
      principal: record.principal?.clientId ?? "",
      status: answer.status,
      operation: record.operation,
      ...(code !== undefined && { code }),
      ...journalled(record.notes),
      ...(answer.delayMs !== undefined && { delayMs: answer.delayMs }),
    });
    return record.notes ? withNotes(answer, record.notes) : answer;
  }

  #admitted(request: SimRequest, record: Record): Answer {
    const { world, tokens, router } = this.#parts;
    const { path } = record;
    const query = queryOf(request.path);
    const principal = tokens.principalOf(request.headers["authorization"], request.callerMs ?? world.nowMs);
    record.principal = principal;
    const target = parseTarget(path);
    const apiVersion = parseApiVersion(query);
    if (target.subscription !== undefined) checkSubscription(world, target.subscription);
    const route = router.route({ method: request.method, target, apiVersion });
    record.operation = route.operation;
    const faults = world.faults.effectsOn({ method: request.method, path, operation: route.operation });
    const notes: CallNotes = { remaining: [], headers: {}, faults };
    record.notes = notes;
    const call: Call = {
      method: request.method,
      path,
      target,
      query,
      headers: request.headers,
      body: parseBody(request.body, request.headers["content-type"]),
      principal,
      apiVersion,
      origin: request.origin ?? world.settings.origin,
      nowMs: world.nowMs,
      operation: route.operation,
      notes,
    };
    return withFaults(call, () => this.#checked(call, route));
  }

  #checked(call: Call, route: Route): Answer {
    const { world } = this.#parts;
    const { target, method, path, principal } = call;
    if (target.subscription !== undefined) world.throttle.enter(call);
    checkRole(call, route);
    const isWrite = method !== "GET" && method !== "HEAD";
    if (isWrite) {
      world.policies.check({ method, path, type: route.type, principal: principal.clientId });
      if (target.provider !== undefined && target.types[0]?.toLowerCase() !== "register") {
        checkRegistered(world, target.subscription, target.provider);
      }
    }
    if (route.needsGroup) {
      const group = foundGroup(call, world);
      if (isWrite && method !== "DELETE") checkGroupTakesWrites(group);
    }
    world.throttle.admit(call, regionOf(call, world), resourceOf(target));
    return route.verb(call, world);
  }
}

/** What the journal records about a call besides its answer. */
function journalled(notes: CallNotes | undefined): Pick<JournalEntry, "charge" | "operationId"> {
  const { charge, operationId } = notes ?? {};
  return { ...(charge !== undefined && { charge }), ...(operationId !== undefined && { operationId }) };
}

/** The path without its query. ARM accepts a doubled slash at the beginning, and the SDKs send it. */
function pathOf(whole: string): string {
  const queryStart = whole.indexOf("?");
  return (queryStart < 0 ? whole : whole.slice(0, queryStart)).replace(/^\/+/, "/");
}

function queryOf(whole: string): URLSearchParams {
  const queryStart = whole.indexOf("?");
  return new URLSearchParams(queryStart < 0 ? "" : whole.slice(queryStart + 1));
}

/** Applies the faults of a call. */
function withFaults(call: Call, answer: () => Answer): Answer {
  const { faults } = call.notes;
  const delay = faults.find((one) => one.kind === "delay")?.ms;
  const late = delay === undefined ? {} : { delayMs: delay };
  if (faults.some((one) => one.kind === "drop")) return { status: 0, headers: {}, isLost: true, ...late };
  const refusal = refusalOf(faults);
  if (refusal) return { ...reply(refusal.status, refusal.body, refusal.headers), ...late };
  const isLost = faults.some((one) => one.kind === "lostResponse");
  return { ...answer(), ...late, ...(isLost && { isLost }) };
}

function checkRole(call: Call, route: Route): void {
  const { principal, method, path } = call;
  const { role = "Contributor" } = principal;
  const isRead = method === "GET" || method === "HEAD";
  if (role === "Contributor" || (role === "Reader" && isRead)) return;
  const verb = isRead ? "read" : method === "DELETE" ? "delete" : method === "POST" ? "action" : "write";
  throw new ArmError(403, {
    code: "AuthorizationFailed",
    message: `The client '${principal.clientId}' with object id '${principal.objectId}' does not have authorization to perform action '${route.type}/${verb}' over scope '${path}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
  });
}

/** The region of a request: Compute's budgets are per region. */
function regionOf({ target, body }: Call, world: AzureState): string {
  if (target.types[0]?.toLowerCase() === "locations") return (target.names[0] ?? "").toLowerCase();
  const known = target.names[0] === undefined ? undefined : world.resources.get(resourceOf(target));
  return known?.location ?? textAt(body, "location")?.toLowerCase() ?? "";
}

/** The resource whose own budget a request takes from: the outermost resource, or the polled operation. */
function resourceOf(target: Target): string {
  const isOperation = target.types[1]?.toLowerCase() === "operations";
  return isOperation ? target.path.toLowerCase() : resourceId(target, target.types.slice(0, 1)).toLowerCase();
}

function withNotes(answer: Answer, { remaining, headers, charge }: CallNotes): Answer {
  const shown: { [name: string]: string } = { ...headers };
  if (remaining.length > 0) {
    shown["x-ms-ratelimit-remaining-resource"] = remaining
      .map(([policy, tokens]) => `Microsoft.Compute/${policy};${tokens}`)
      .join(",");
  }
  if (charge !== undefined) shown["x-ms-request-charge"] = String(charge);
  return { ...answer, headers: { ...shown, ...answer.headers } };
}
