import type { Clock } from "@capstan/env";
import type { CallOutcome, Meter } from "../meter.ts";
import {
  type Arm,
  AzureError,
  type CallOptions,
  type CallPriority,
  isGone,
  type ItemReader,
  type Listing,
  type ListOptions,
  type OperationStatus,
  type Reading,
  REQUEST_BUDGET_USED_UP,
  type WriteOptions,
  type Written,
} from "../port.ts";
import type { JsonObject } from "@capstan/api";
import { apiVersionOf } from "./api-versions.ts";
import { type Budget, partsOf, type Ticket } from "./budget.ts";
import { azureErrorOf, type ErrorContext, parseErrorBody } from "./errors.ts";
import { type Exchange, unreadable, type WireAnswer } from "./exchange.ts";
import { parseJson, parseObject } from "./json.ts";
import { pathOfLink } from "./links.ts";
import { operationStatusOf, operationUrlOf } from "./operation-answers.ts";
import { type Page, readPage } from "./page.ts";
import { retryAfterOf } from "./retry-after.ts";
import { type Target, targetOf, type Verb } from "./target.ts";

export interface ArmOptions {
  readonly exchange: Exchange;
  /** Scheme and host of the resource manager: links to other hosts are not followed. */
  readonly endpoint: string;
  /** The owner of the tokens; front-door budgets are counted by it. */
  readonly principal: string;
  /** Shared by all clients of the process for the same subscriptions. */
  readonly budget: Budget;
  readonly meter: Meter;
  readonly clock: Clock;
  /** The calling controller, for the meter. */
  readonly controller: string;
}

interface Call {
  readonly verb: Verb;
  readonly target: Target;
  /** Path and query as sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly beforeSending?: (() => Promise<void>) | undefined;
  readonly options: CallOptions;
  /** The tokens already charged. */
  readonly ticket?: Ticket;
}

// A thousand pages are a hundred thousand items: a longer list repeats itself.
const MOST_PAGES = 1000;

/** The resource manager for one controller: each call is one request, charged to the budget and counted. */
export function createArm(options: ArmOptions): Arm {
  const call = (request: Call): Promise<Answer> => makeCall(options, request);
  const write = async (verb: Verb, path: string, given: WriteOptions & { readonly body?: JsonObject }) => {
    const { body, ...rest } = given;
    const headers = preconditionsOf(rest);
    const { beforeSending } = rest;
    return writtenOf(
      await call({ ...plain(verb, path, rest), headers, beforeSending, ...(body && { body }) }),
    );
  };
  return {
    get: async (path, given = {}) => readingOf(await call(plain("GET", path, given))),
    head: async (path, given = {}) => isThere(call(plain("HEAD", path, given))),
    list: (path, given = {}) => listPages(options, path, given),
    put: (path, body, given = {}) => write("PUT", path, { ...given, body }),
    patch: (path, body, given = {}) => write("PATCH", path, { ...given, body }),
    post: (path, body, given = {}) => write("POST", path, { ...given, ...(body && { body }) }),
    delete: (path, given = {}) => orGone(write("DELETE", path, given)),
    poll: (operationUrl, given = {}) => poll(options, operationUrl, given),
  };
}

function plain(verb: Verb, path: string, options: CallOptions): Call {
  const target = targetOf(verb, path);
  return { verb, target, path: withVersion(path, target, options), options };
}

function withVersion(path: string, target: Target, { apiVersion, query }: CallOptions): string {
  const version = apiVersion ?? apiVersionOf(target);
  if (version === undefined) {
    throw new AzureError({
      class: "Terminal",
      code: "MissingApiVersionParameter",
      message: `the api-version of ${target.provider}/${target.type} is unknown; set options.apiVersion`,
    });
  }
  const text = new URLSearchParams({ ...query, "api-version": version }).toString();
  // Not every provider decodes a plus as a space, and filters contain many.
  return `${path}?${text.replaceAll("+", "%20")}`;
}

/** An answer without an error. */
interface Answer extends WireAnswer {
  readonly retryAfterMs?: number;
}

async function makeCall(options: ArmOptions, call: Call): Promise<Answer> {
  const { clock, budget } = options;
  const ticket = call.ticket ?? admit(options, call, 1);
  let isSent = false;
  let answer: WireAnswer;
  try {
    await call.beforeSending?.();
    isSent = true;
    answer = await options.exchange(wireRequestOf(call));
  } catch (error) {
    budget.settle(ticket, undefined, clock.monotonic());
    if (isSent) count(options, call, "unanswered");
    throw error;
  }
  const retryAfterMs = retryAfterOf(answer.headers, clock.now());
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  budget.settle(ticket, { ...answer, ...wait }, clock.monotonic());
  count(options, call, outcomeOf(answer.status));
  if (answer.status >= 300) throw errorOf(answer, wait);
  return { ...answer, ...wait };
}

function admit(options: ArmOptions, call: Call, requests: number): Ticket {
  const { target } = call;
  const { instances = 0, location = "", priority = priorityOf(call.verb) } = call.options;
  const cost = { target, principal: options.principal, location, requests, instances };
  const verdict = options.budget.admit(cost, priority, options.clock.monotonic());
  if ("charges" in verdict) return verdict;
  count(options, call, "held");
  throw new AzureError({
    class: "Throttled",
    code: REQUEST_BUDGET_USED_UP,
    // Without the time, which differs at each retry: a condition with this message would be written as often.
    message: `${target.operation} was not sent: the limit of ${verdict.policy} is used up`,
    target: verdict.policy,
    retryAfterMs: verdict.retryAfterMs,
  });
}

/** Polls finish started operations, and deletes free resources that other calls wait for. */
function priorityOf(verb: Verb): CallPriority {
  if (verb === "POLL" || verb === "DELETE") return "urgent";
  return verb === "LIST" ? "sweep" : "normal";
}

function wireRequestOf({ verb, path, headers, body, options: { signal } }: Call): Parameters<Exchange>[0] {
  return {
    method: verb === "LIST" || verb === "POLL" ? "GET" : verb,
    path,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
}

function count({ meter, controller }: ArmOptions, { target }: Call, outcome: CallOutcome): void {
  meter.count(target.operation, controller, outcome);
}

function outcomeOf(status: number): CallOutcome {
  if (status === 429) return "throttled";
  return status < 300 ? "ok" : "refused";
}

function errorOf(answer: WireAnswer, wait: { readonly retryAfterMs?: number }): AzureError {
  const { status, headers, text } = answer;
  const requestId = headers["x-ms-request-id"];
  const correlationId = headers["x-ms-correlation-request-id"];
  const context: ErrorContext = {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(correlationId !== undefined && { correlationId }),
    ...wait,
  };
  return azureErrorOf(parseErrorBody(jsonOrText(text), status), context);
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function preconditionsOf({ ifMatch, ifNoneMatch }: WriteOptions): Readonly<Record<string, string>> {
  return {
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
    ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
  };
}

function readingOf(answer: Answer): Reading {
  const body = parseObject(answer.text);
  if (!body) throw unreadable("Azure's answer to a read is not a JSON object");
  return { body, ...etagOf(answer, body) };
}

function writtenOf(answer: Answer): Written {
  const body = answer.text.trim() === "" ? undefined : parseObject(answer.text);
  const operationUrl = operationUrlOf(answer);
  return {
    status: answer.status,
    ...(body && { body }),
    ...etagOf(answer, body),
    ...(operationUrl !== undefined && { operationUrl }),
    ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
  };
}

/** The etag is in the header, in the body, or (AKS) in the body under another spelling. */
function etagOf({ headers }: Answer, body: JsonObject | undefined): { readonly etag?: string } {
  const etag = headers["etag"] ?? body?.["etag"] ?? body?.["eTag"];
  return typeof etag === "string" && etag !== "" ? { etag } : {};
}

async function isThere(answer: Promise<Answer>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function orGone(written: Promise<Written>): Promise<Written> {
  try {
    return await written;
  } catch (error) {
    if (isGone(error)) return { status: 204 };
    throw error;
  }
}

/**
 * The expected pages are charged before the first request, so that no list is started that cannot be finished; additional
 * pages are urgent, because the pages before them would be lost.
 */
async function listPages(options: ArmOptions, path: string, given: ListOptions): Promise<Listing> {
  const first = plain("LIST", path, given);
  const expected = Math.max(1, given.pages ?? 1);
  const tickets = partsOf(admit(options, first, expected), expected);
  const unexpected: Call = { ...first, options: { ...given, instances: 0, priority: "urgent" } };
  const items: JsonObject[] = [];
  const { reader = { take: (item) => void items.push(item) } } = given;
  const seen = new Set<string>();
  try {
    for (let next: string | undefined = first.path; next !== undefined;) {
      if (seen.has(next) || seen.size >= MOST_PAGES) throw unreadable("the pages of a list do not end");
      seen.add(next);
      const ticket = tickets.shift();
      const page = await makeCall(options, { ...unexpected, path: next, ...(ticket && { ticket }) });
      const { nextLink } = pageOf(page, reader);
      next = nextLink === undefined ? undefined : pathOfLink(options.endpoint, nextLink);
    }
  } finally {
    for (const unused of tickets) options.budget.settle(unused, undefined, options.clock.monotonic());
  }
  return { items, pages: seen.size };
}

function pageOf({ text }: Answer, reader: ItemReader): Page {
  try {
    const page = readPage(text, reader);
    if (page) return page;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable("Azure's answer to a list has no items");
}

async function poll(options: ArmOptions, operationUrl: string, given: CallOptions): Promise<OperationStatus> {
  const path = pathOfLink(options.endpoint, operationUrl);
  const target = targetOf("POLL", path.split("?", 1)[0] ?? "");
  return operationStatusOf(await makeCall(options, { verb: "POLL", target, path, options: given }));
}
