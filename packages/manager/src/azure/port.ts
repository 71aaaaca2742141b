/**
 * Azure as reconcilers see it: resources by id, plain JSON, and a closed set of errors.
 *
 * Each call is one request (a list is one per page) and is never retried here: the work queue knows
 * when to come back. What takes Azure longer than a request is handed back as an address to ask at.
 */

/** A JSON object as ARM wrote it; nothing that was in the answer is missing. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What an error of Azure means:
 * - Throttled: too many requests; come back when it says.
 * - Conflict: something else is being done to the resource or its neighbours.
 * - Preempted: a newer operation took the place of ours; read and decide again.
 * - Precondition: the resource is no longer what we thought; read and decide again.
 * - Transient: may pass by itself.
 * - Capacity: the region has no such machines at the moment.
 * - Quota: an operator has to raise a limit.
 * - Guest: a machine did not come up; it wants replacing.
 * - Terminal: what was asked for is wrong.
 * - Auth: we may not, or not yet.
 * - Gone: it is not there.
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

/** One of the reasons below an error, in ARM's words. */
export interface AzureErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

/** Everything that is known about an error. */
export interface AzureErrorFacts {
  readonly class: AzureErrorClass;
  /** ARM's code, or one of ours where no answer came. */
  readonly code: string;
  /** ARM's message. */
  readonly message: string;
  /** The HTTP status; absent when no answer came or the error lies inside one. */
  readonly status?: number;
  readonly target?: string;
  /** Nested details, flattened, outermost first. */
  readonly details?: readonly AzureErrorDetail[];
  /** The id Azure gave the request: what its support asks for first. */
  readonly requestId?: string;
  readonly correlationId?: string;
  readonly retryAfterMs?: number;
  /** No answer says whether the request was carried out; it may have been. */
  readonly isOutcomeUnknown?: boolean;
}

/** An error of Azure whose meaning is known. */
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

/** Whether the error says that the resource is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof AzureError && error.class === "Gone";
}

/** How much a call matters when requests are scarce: polls and deletes are `urgent`, sweeps wait first. */
export type CallPriority = "urgent" | "normal" | "sweep";

/** What every call may say about itself. */
export interface CallOptions {
  /** Instead of the version that is known to be right for the type. */
  readonly apiVersion?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The region, by which Azure counts requests; without it all regions share one budget. */
  readonly location?: string;
  /** How many instances the call reads or touches, as far as is known: they cost extra. */
  readonly instances?: number;
  /** What the verb suggests unless told. */
  readonly priority?: CallPriority;
  readonly signal?: AbortSignal;
}

/** What every write may ask for. */
export interface WriteOptions extends CallOptions {
  /** The etag that the resource must still have. */
  readonly ifMatch?: string;
  /** Refuses to touch a resource that exists. */
  readonly ifNoneMatch?: "*";
  /** Is waited for right before the request goes out, and not called when the budget holds it back. */
  readonly beforeSending?: () => Promise<void>;
}

/** A list that may take several pages. */
export interface ListOptions extends CallOptions {
  /** How many pages it took the last time; all of them are paid for before the first is asked for. */
  readonly pages?: number;
  /** Reads each item as it comes, and the answer has none then: of a list of megabytes hardly anything is worth keeping. */
  readonly reader?: ItemReader;
}

/** Reads the items of a list. */
export interface ItemReader {
  /** How long the item is that begins at this place of a page, if it is one that is known by its text; it is not taken then. 0 for any other. */
  readonly recognize?: (page: string, from: number) => number;
  /** Takes an item, and how it was written. */
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

/** An answer to a write. With an `operationUrl` Azure still works on it. */
export interface Written {
  readonly status: number;
  readonly body?: JsonObject;
  readonly etag?: string;
  readonly operationUrl?: string;
  readonly retryAfterMs?: number;
}

/** How far an operation has come. A poll that fails throws and says nothing about the operation. */
export type OperationStatus =
  | { readonly state: "InProgress"; readonly retryAfterMs?: number }
  | { readonly state: "Succeeded"; readonly body?: JsonObject }
  | { readonly state: "Failed" | "Canceled"; readonly error: AzureError };

/** Azure's resource manager. Paths start with `/subscriptions/`. Methods throw AzureErrors, and the reason of a signal that was aborted. */
export interface Arm {
  get(path: string, options?: CallOptions): Promise<Reading>;
  /** Whether there is such a thing; for resource groups, which answer HEAD. */
  head(path: string, options?: CallOptions): Promise<boolean>;
  /** Every page, or an error: never a part. */
  list(path: string, options?: ListOptions): Promise<Listing>;
  put(path: string, body: JsonObject, options?: WriteOptions): Promise<Written>;
  patch(path: string, body: JsonObject, options?: WriteOptions): Promise<Written>;
  /** What is not there counts as deleted. */
  delete(path: string, options?: WriteOptions): Promise<Written>;
  post(path: string, body: JsonObject | undefined, options?: WriteOptions): Promise<Written>;
  /** Asks once how an operation is doing. */
  poll(operationUrl: string, options?: CallOptions): Promise<OperationStatus>;
}
