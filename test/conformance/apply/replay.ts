import { isDeepStrictEqual } from "node:util";
import type { Handler } from "@capstan/env";
import type { DefinitionChange } from "./definitions.ts";
import type { Sequence, Step } from "./recording.ts";

/** A server under test. */
export interface Replayed {
  readonly send: Handler;
  /** Lets at least a second pass, so that entries get different times. */
  pause(): void;
}

/** What a sequence needs, and what of the answers counts. */
export interface ReplayOptions {
  /** The definitions to install first. */
  readonly initial: readonly unknown[];
  readonly change?: DefinitionChange;
  readonly onlyManagers?: boolean;
  /** A real kube-apiserver: no time is simulated, so times and the order that they decide do not count. */
  readonly isReal?: boolean;
}

/** An answer, in the form of the recording. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** How an answer differs from the recorded one. */
export interface Difference {
  readonly step: number;
  readonly problem: string;
}

/** Sends the requests of a sequence and compares each answer with the recorded one. */
export async function replay(
  sequence: Sequence,
  server: Replayed,
  { initial, change, onlyManagers = false, isReal = false }: ReplayOptions,
): Promise<Difference[]> {
  const symbols = new Symbols();
  const compare = { onlyManagers, isReal, symbols };
  const differences: Difference[] = [];
  for (const definition of initial) await install(server, definition as Fields);
  for (const [step, recorded] of sequence.steps.entries()) {
    if (sequence.id !== "order-same-second") server.pause();
    if (change?.beforeStep === step) await install(server, change.definition);
    const answer = await send(server, recorded.request, symbols);
    const problem = (onlyManagers ? managerDifference : differenceOf)(recorded.response, answer, compare);
    if (problem !== undefined) differences.push({ step, problem });
  }
  return differences;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Creates a definition, or replaces it. */
async function install({ send: request }: Replayed, definition: Fields): Promise<void> {
  const headers = { "content-type": "application/json" };
  const created = await request({
    method: "POST",
    path: DEFINITIONS,
    headers,
    body: JSON.stringify(definition),
  });
  if (created.status === 201) return;
  const path = `${DEFINITIONS}/${String((definition["metadata"] as Fields)["name"])}`;
  const patched = await request({
    method: "PATCH",
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: definition["spec"] }),
  });
  if (patched.status !== 200) throw new Error(`${path}: ${await patched.text()}`);
}

/** How the managers of an answer differ from the recorded ones. */
function managerDifference(
  recorded: Step["response"],
  answer: Answer,
  { symbols, isReal }: Comparing,
): string | undefined {
  const desired = desiredOf(recorded, isReal);
  if (desired.status !== answer.status) return `answered ${answer.status}, not ${desired.status}`;
  if (desired.status >= 300) return undefined;
  const actual = entriesOf(withoutTimes(answer.body));
  const [problem] = symbols.differences(entriesOf(desired.body), actual, "managedFields");
  return problem === undefined ? undefined : `${problem}\nanswered: ${shown(actual)}`;
}

async function send({ send: handle }: Replayed, request: Step["request"], symbols: Symbols): Promise<Answer> {
  const query = new URLSearchParams(request.query ?? {}).toString();
  const { body } = request;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await handle({
    method: request.method,
    path: symbols.filledIn(query === "" ? request.path : `${request.path}?${query}`),
    headers: { ...request.headers },
    ...(text !== undefined && { body: symbols.filledIn(text) }),
  });
  const answered = await response.text();
  const isJson = response.headers["content-type"] === "application/json";
  return {
    status: response.status,
    body: isJson ? (JSON.parse(answered) as unknown) : answered,
    warnings: warningsIn(response.headers["warning"] ?? ""),
  };
}

function warningsIn(header: string): string[] {
  return [...header.matchAll(/299 - "(?:[^"\\]|\\.)*"/g)].map(([warning]) => warning);
}

/** How answers are compared. */
interface Comparing {
  readonly symbols: Symbols;
  readonly isReal: boolean;
}

function desiredOf(recorded: Step["response"], isReal: boolean): Step["response"] {
  return !isReal && isUsersMistake(recorded) ? answered422(recorded) : recorded;
}

function differenceOf(recorded: Step["response"], answer: Answer, comparing: Comparing): string | undefined {
  const desired = desiredOf(recorded, comparing.isReal);
  if (desired.status !== answer.status)
    return `answered ${answer.status}, not ${desired.status}: ${shown(answer.body)}`;
  const warnings = desired.warnings ?? [];
  if (warnings.join("\n") !== answer.warnings.join("\n"))
    return `warned ${shown(answer.warnings)}, not ${shown(warnings)}`;
  return desired.statusObject === undefined
    ? objectDifference(desired, answer, comparing)
    : contentDifference(
        sortedCauses(desired.statusObject),
        sortedCauses(withoutType(answer.body)),
        comparing.symbols,
      );
}

function objectDifference(
  desired: Step["response"],
  { body }: Answer,
  { symbols, isReal }: Comparing,
): string | undefined {
  if (desired.body === undefined) return undefined;
  const actual = recordedPart(desired.body, withoutTimes(body));
  if (isReal) return contentDifference(withSortedEntries(desired.body), withSortedEntries(actual), symbols);
  const problem = contentDifference(desired.body, actual, symbols);
  if (problem !== undefined) return problem;
  const times = (desired.times ?? []).map((time) => time ?? "none");
  return symbols.differences(times, timesOf(body), "times")[0];
}

function withSortedEntries(body: unknown): unknown {
  const entries = entriesOf(body);
  if (entries.length === 0) return body;
  const keyOf = (entry: Fields): string => JSON.stringify(sortedKeys(entry));
  const { metadata, ...rest } = body as { metadata: Fields };
  const managedFields = [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { ...rest, metadata: { ...metadata, managedFields } };
}

function contentDifference(expected: unknown, actual: unknown, symbols: Symbols): string | undefined {
  const [problem] = symbols.differences(expected, actual, "");
  return problem && `${problem}\nanswered: ${shown(actual)}\nrecorded: ${shown(expected)}`;
}

/** kube-apiserver answers 500 when an applied object does not fit its kind; this server answers 422, in the same words. */
function isUsersMistake({ status, statusObject }: Step["response"]): boolean {
  const { message = "" } = (statusObject ?? {}) as { message?: string };
  return status === 500 && message.startsWith("failed to create typed patch object");
}

function answered422(recorded: Step["response"]): Step["response"] {
  const statusObject = { ...(recorded.statusObject as object), code: 422, reason: "Invalid" };
  return { ...recorded, status: 422, statusObject };
}

/** Of some answers only a part is recorded. */
function recordedPart(recorded: unknown, answer: unknown): unknown {
  if (typeof recorded !== "object" || recorded === null || "apiVersion" in recorded) return answer;
  return Object.fromEntries(Object.entries(answer as Fields).filter(([name]) => name in recorded));
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 3000);
}

type Fields = Record<string, unknown>;

function withoutType(status: unknown): unknown {
  const { kind: _kind, apiVersion: _version, metadata: _metadata, ...rest } = status as Fields;
  return rest;
}

/** The order of causes is random in kube-apiserver, and it repeats some of them. */
function sortedCauses(status: unknown): unknown {
  const { details, ...rest } = status as { details?: { causes?: unknown[] } };
  if (!details?.causes) return status;
  const causes = [...new Set(details.causes.map((cause) => JSON.stringify(sortedKeys(cause))))].sort();
  // The message lists several invalid fields in the order of the causes.
  const { message, ...others } = rest as { message?: string };
  const isListed = causes.length > 1 && message?.includes("is invalid: [") === true;
  return { ...(isListed ? others : rest), details: { ...details, causes } };
}

function sortedKeys(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function entriesOf(body: unknown): Fields[] {
  const { metadata } = (body ?? {}) as { metadata?: { managedFields?: Fields[] } };
  return metadata?.managedFields ?? [];
}

function timesOf(body: unknown): string[] {
  return entriesOf(body).map((entry) => (entry["time"] as string | undefined) ?? "none");
}

function withoutTimes(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const { metadata, ...rest } = body as { metadata?: Fields };
  if (!metadata) return body;
  const { creationTimestamp: _, deletionTimestamp, managedFields, ...kept } = metadata;
  return {
    ...rest,
    metadata: {
      ...kept,
      ...(deletionTimestamp !== undefined && { deletionTimestamp: "<time>" }),
      ...(managedFields !== undefined && {
        managedFields: entriesOf(body).map(({ time: _time, ...entry }) => entry),
      }),
    },
  };
}

const SYMBOL = /^(?:<(?:rv|uid):\d+>|t:\d+)$/;

const SOME_TIME = "2026-01-01T00:00:00Z";

/** What the symbols of a recording stand for on this server. */
class Symbols {
  readonly #values = new Map<string, string>();
  readonly #symbols = new Map<string, string>();

  /** A text with the values that are known. */
  filledIn(text: string): string {
    return text.replaceAll(/<(?:(?:rv|uid|t):\d+|time)>/g, (symbol) => {
      if (symbol === "<time>") return SOME_TIME;
      if (symbol.startsWith("<t:")) return this.#values.get(symbol.slice(1, -1)) ?? SOME_TIME;
      return this.#values.get(symbol) ?? symbol;
    });
  }

  /** How two values differ, each difference with its path. */
  differences(expected: unknown, actual: unknown, path: string): string[] {
    if (typeof expected === "string") return this.#textDifferences(expected, actual, path);
    if (!isInner(expected) || !isInner(actual) || Array.isArray(expected) !== Array.isArray(actual))
      return isDeepStrictEqual(expected, actual)
        ? []
        : [`${path}: is ${shown(actual)}, not ${shown(expected)}`];
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => this.differences(expected[name], actual[name], `${path}.${name}`));
  }

  #textDifferences(expected: string, actual: unknown, path: string): string[] {
    if (expected === "<time>" && typeof actual === "string") return [];
    if (SYMBOL.test(expected)) return this.#unify(expected, actual, path);
    return this.filledIn(expected) === actual ? [] : [`${path}: is ${shown(actual)}, not ${expected}`];
  }

  #unify(symbol: string, actual: unknown, path: string): string[] {
    const value = String(actual);
    const known = this.#values.get(symbol) ?? value;
    const other = this.#symbols.get(`${symbol.slice(0, 3)}${value}`) ?? symbol;
    if (typeof actual !== "string" || known !== value || other !== symbol)
      return [`${path}: is ${value} (${other}), not ${symbol} (${known})`];
    this.#values.set(symbol, value);
    this.#symbols.set(`${symbol.slice(0, 3)}${value}`, symbol);
    return [];
  }
}

function isInner(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
