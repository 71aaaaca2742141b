/** What is wrong with an answer; undefined if it is one of the API. */
import { differenceOf } from "../cluster-api/differences.ts";
import { isObject, type JsonObject } from "../request-body.ts";
import { PatchProblem, patched } from "./apply-patch.ts";
import type { Received } from "./caller.ts";
import { CHANGES, type Sides } from "./questions.ts";

const LONGEST_SHOWN = 200;

/** A value as a report shows it. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** The JSON of an answer with status 200, or what is wrong with it. */
export function okOf({ status, json, text, problem }: Received): JsonObject | string {
  if (problem !== undefined) return problem;
  if (status !== 200) return `answered with HTTP status ${status}: ${shown(text)}`;
  return json ?? `answered with no JSON object: ${shown(text)}`;
}

/** The first problem of an answer; each check sees an answer that passes those before. */
function firstProblem(
  received: Received,
  checks: readonly ((answer: JsonObject) => string | undefined)[],
): string | undefined {
  const answer = okOf(received);
  if (typeof answer === "string") return answer;
  for (const check of checks) {
    const problem = check(answer);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isSaid(error: unknown): boolean {
  return typeof error === "string" && error !== "";
}

/** An answer to CanUpdateMachine in the dialect of Capstan. */
export function pathsProblem(received: Received, asked: readonly string[] = CHANGES): string | undefined {
  // An error is an answer, too.
  if (received.status === 200 && isSaid(received.json?.["error"])) return undefined;
  return firstProblem(received, [
    ({ error = null }) =>
      error === null || error === "" ? undefined : `error must be a text or null, but is ${shown(error)}`,
    ({ acceptedChanges }) => acceptedProblem(acceptedChanges, asked),
    ({ message = "" }) =>
      typeof message === "string" ? undefined : `message must be a text, but is ${shown(message)}`,
    ({ needsDrain = false }) =>
      typeof needsDrain === "boolean"
        ? undefined
        : `needsDrain must be true or false, but is ${shown(needsDrain)}`,
  ]);
}

function acceptedProblem(accepted: unknown, asked: readonly string[]): string | undefined {
  if (!Array.isArray(accepted) || !accepted.every((path) => typeof path === "string"))
    return `acceptedChanges must be a list of paths, but is ${shown(accepted)}`;
  const extra = accepted.find((path) => !asked.includes(path));
  return extra === undefined ? undefined : `acceptedChanges has ${extra}, which was not asked about`;
}

const STATES: readonly unknown[] = ["InProgress", "Done", "Success", "Error"];

/** An answer to UpdateMachine in the dialect of Capstan. */
export function progressProblem(received: Received): string | undefined {
  return firstProblem(received, [
    ({ status }) =>
      STATES.includes(status)
        ? undefined
        : `status must be InProgress, Done or Error, but is ${shown(status)}`,
    ({ status, error }) =>
      status === "Error" && !isSaid(error) ? "status is Error, and error says no reason" : undefined,
    ({ status, error }) =>
      (status === "Done" || status === "Success") && isSaid(error)
        ? `status is ${status}, and error says ${shown(error)}`
        : undefined,
    ({ status, tryAgain }) => (status === "InProgress" ? waitProblem(tryAgain ?? "") : undefined),
  ]);
}

function waitProblem(tryAgain: unknown): string | undefined {
  if (tryAgain === "") return undefined;
  const seconds = typeof tryAgain === "string" ? secondsIn(tryAgain) : undefined;
  return seconds !== undefined && seconds > 0 && seconds <= LONGEST_WAIT_SECONDS
    ? undefined
    : `tryAgain must be a duration up to 1h, such as 15s, but is ${shown(tryAgain)}`;
}

const LONGEST_WAIT_SECONDS = 3600;

function secondsIn(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|h|m|s))+$/.test(text)) return undefined;
  const units: Readonly<Record<string, number>> = {
    h: 3600,
    m: 60,
    s: 1,
    ms: 1e-3,
    us: 1e-6,
    µs: 1e-6,
    ns: 1e-9,
  };
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|h|m|s)/g)].reduce(
    (sum, [, count, unit = "s"]) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

/** The status that each answer of Cluster API's hooks has. */
function statusProblem(received: Received): string | undefined {
  const answer = okOf(received);
  if (typeof answer === "string") return answer;
  const { status, message } = answer;
  if (status !== "Success" && status !== "Failure")
    return `status must be Success or Failure, but is ${shown(status)}`;
  if (status === "Failure" && (typeof message !== "string" || message === ""))
    return "status is Failure, and message says no reason";
  return undefined;
}

/** An answer to UpdateMachine of Cluster API. */
export function retryProblem(received: Received): string | undefined {
  const problem = statusProblem(received);
  if (problem !== undefined) return problem;
  const { status, retryAfterSeconds } = received.json ?? {};
  if (status === "Failure") return undefined;
  const isSane =
    typeof retryAfterSeconds === "number" &&
    Number.isInteger(retryAfterSeconds) &&
    retryAfterSeconds >= 0 &&
    retryAfterSeconds <= LONGEST_WAIT_SECONDS;
  return isSane
    ? undefined
    : `retryAfterSeconds must be a whole number from 0 to 3600, but is ${shown(retryAfterSeconds)}`;
}

/** Patches must apply, and change nothing that is not a change toward the desired objects. */
export function patchesProblem(received: Received, { current, desired }: Sides): string | undefined {
  const problem = statusProblem(received) ?? availabilityProblem(received);
  if (problem !== undefined) return problem;
  for (const [name, before] of Object.entries(current)) {
    const after = desired[name];
    if (!isObject(before) || !isObject(after)) continue;
    const field = `${name}Patch`;
    try {
      const result = patched(before, received.json?.[field]);
      const changes = new Set(differenceOf(name, before, after).paths);
      const stray = differenceOf(name, result, after).paths.find((path) => !changes.has(path));
      if (stray !== undefined) return `${field} changes ${stray}, and not to what is desired`;
    } catch (error) {
      if (error instanceof PatchProblem) return `${field}: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

function availabilityProblem({ json }: Received): string | undefined {
  const value = json?.["affectsAvailability"] ?? true;
  return typeof value === "boolean"
    ? undefined
    : `affectsAvailability must be true or false, but is ${shown(value)}`;
}

/** A hostile request must be refused by an answer, never by silence or a page of a web server. */
export function refusalProblem({ status, json, text, problem }: Received): string | undefined {
  if (problem !== undefined) return problem;
  if (status >= 400 && status < 500)
    return json ? undefined : `answered ${status} without JSON: ${shown(text)}`;
  if (status === 200 && (json?.["status"] === "Failure" || typeof json?.["error"] === "string"))
    return undefined;
  return `answered with HTTP status ${status}: ${shown(text)}; a status of 400 to 499 with JSON would be right`;
}
