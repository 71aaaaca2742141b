/**
 * Azure as reconcilers see it: resources by id, plain JSON, and a closed set of errors.
 *
 * Each call is one request (a list is one per page) and is never retried here: the work queue decides when to retry. A
 * long-running operation is returned as a URL to poll.
 */
import type { JsonObject } from "@capstan/api";

/**
 * The meaning of an error of Azure:
 * - Throttled: too many requests; retry after its Retry-After.
 * - Conflict: another operation runs on the resource or its neighbours.
 * - Preempted: a newer operation replaced this one; read and decide again.
 * - Precondition: the resource has changed since the read; read and decide again.
 * - Transient: may pass by itself.
 * - Capacity: the region has no such machines at the moment.
 * - Quota: an operator has to raise a limit.
 * - Guest: a machine did not boot; it must be replaced.
 * - Terminal: the request is wrong.
 * - Auth: the identity has no permission, or not yet.
 * - Gone: the resource does not exist.
 */
export type AzureErrorClass =
  | "Throttled"
  | "Conflict"
  | "Preempted"
  | "Precondition"
  | "Transient"
  | "Capacity"
  | "Quota"
  | "Guest"
  | "Terminal"
  | "Auth"
  | "Gone";

/** One of the nested causes of an error, in ARM's words. */
export interface AzureErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

/** The facts about an error. */
export interface AzureErrorFacts {
  readonly class: AzureErrorClass;
  /** ARM's code, or one of Capstan's if no answer came. */
  readonly code: string;
  /** ARM's message. */
  readonly message: string;
  /** The HTTP status; absent when no answer came or the error lies inside one. */
  readonly status?: number;
  readonly target?: string;
  /** Nested details, flattened, outermost first. */
  readonly details?: readonly AzureErrorDetail[];
  /** Azure's id of the request, which its support asks for. */
  readonly requestId?: string;
  readonly correlationId?: string;
  readonly retryAfterMs?: number;
  /** Without an answer, it is unknown whether the request was executed. */
  readonly isOutcomeUnknown?: boolean;
}

/** A classified error of Azure. */
export class AzureError extends Error {
  override readonly name = "AzureError";
  readonly class: AzureErrorClass;
  readonly code: string;
  readonly status: number | undefined;
  readonly target: string | undefined;
  readonly details: readonly AzureErrorDetail[];
  readonly requestId: string | undefined;
  readonly correlationId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isOutcomeUnknown: boolean;

  constructor(facts: AzureErrorFacts) {
    super(facts.message);
    this.class = facts.class;
    this.code = facts.code;
    this.status = facts.status;
    this.target = facts.target;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.correlationId = facts.correlationId;
    this.retryAfterMs = facts.retryAfterMs;
    this.isOutcomeUnknown = facts.isOutcomeUnknown ?? false;
  }
}

/** CAPZ's wait after throttling without a Retry-After. */
export const DEFAULT_RETRY_AFTER_MS = 60_000;

/** The code of a call that the budget of this process holds back. */
export const REQUEST_BUDGET_USED_UP = "RequestBudgetUsedUp";

/** Whether the error means that the resource does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof AzureError && error.class === "Gone";
}

/** The priority of a call when the budget is short: polls and deletes are `urgent`, sweeps wait first. */
export type CallPriority = "urgent" | "normal" | "sweep";

export interface CallOptions {
  /** Overrides the known version of the type. */
  readonly apiVersion?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The region, by which Azure counts requests; without it all regions share one budget. */
  readonly location?: string;
  /** How many instances the call reads or changes, if known: each one is charged. */
  readonly instances?: number;
  /** By default it depends on the verb. */
  readonly priority?: CallPriority;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** The etag that the resource must still have. */
  readonly ifMatch?: string;
  /** Refuses to touch a resource that exists. */
  readonly ifNoneMatch?: "*";
  /** Awaited right before the request is sent; not called when the budget holds the call back. */
  readonly beforeSending?: () => Promise<void>;
}

/** A list that may take several pages. */
export interface ListOptions extends CallOptions {
  /** How many pages it had the last time; all of them are charged before the first request. */
  readonly pages?: number;
  /** Gets each item as it is read, and the result has none then: most items of a long list need not be kept. */
  readonly reader?: ItemReader;
}

/** Reads the items of a list. */
export interface ItemReader {
  /** The length of the item at this position of a page, if its text is known; then it is skipped. 0 for any other item. */
  readonly recognize?: (page: string, from: number) => number;
  /** Gets an item and its text. */
  readonly take: (item: JsonObject, text: string) => void;
}

/** An answer to a read. */
export interface Reading {
  readonly body: JsonObject;
  readonly etag?: string;
}

/** All items of a list. */
export interface Listing {
  readonly items: readonly JsonObject[];
  readonly pages: number;
}

/** The answer to a write. With an `operationUrl`, Azure still works on it. */
export interface Written {
  readonly status: number;
  readonly body?: JsonObject;
  readonly etag?: string;
  readonly operationUrl?: string;
  readonly retryAfterMs?: number;
}

/** The state of an operation. A failed poll throws, and leaves the state unknown. */
export type OperationStatus =
  | { readonly state: "InProgress"; readonly retryAfterMs?: number }
  | { readonly state: "Succeeded"; readonly body?: JsonObject }
  | { readonly state: "Failed" | "Canceled"; readonly error: AzureError };

/** Azure Resource Manager. Paths start with `/subscriptions/`. Methods throw AzureErrors, or the reason of an aborted signal. */
export interface Arm {
  get(path: string, options?: CallOptions): Promise<Reading>;
  /** Whether the resource exists; for resource groups, which support HEAD. */
  head(path: string, options?: CallOptions): Promise<boolean>;
  /** All pages or an error, never a part. */
  list(path: string, options?: ListOptions): Promise<Listing>;
  put(path: string, body: JsonObject, options?: WriteOptions): Promise<Written>;
  patch(path: string, body: JsonObject, options?: WriteOptions): Promise<Written>;
  /** A missing resource counts as deleted. */
  delete(path: string, options?: WriteOptions): Promise<Written>;
  post(path: string, body: JsonObject | undefined, options?: WriteOptions): Promise<Written>;
  /** Polls an operation once. */
  poll(operationUrl: string, options?: CallOptions): Promise<OperationStatus>;
}
