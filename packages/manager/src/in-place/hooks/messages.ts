/** What updaters answer, read with suspicion: anything that is not as the API says becomes a Failure that names it. */
import { boundedText, durationProblem, isJsonObject, parseDuration } from "@capstan/api";
import { type Failure, transient } from "@capstan/runtime";
import type { UpdateAnswer } from "@capstan/plan";

const LONGEST_MESSAGE = 1_024;
const MOST_PATHS = 1_024;
const SECOND_MS = 1_000;
/** An updater that wants to be asked less often than this would not notice that its machine is gone. */
export const LONGEST_WAIT_MS = 60 * 60_000;
const DEFAULT_WAIT_MS = 15 * SECOND_MS;

/** The paths that an updater accepts. Throws a Failure if the answer is an error, or not one of the API. */
export function readAcceptedChanges(body: unknown): readonly string[] {
  const fields = objectIn(body);
  const error = errorIn(fields);
  if (error !== undefined) throw invalidAnswer("UpdaterError", `answered with the error ${quoted(error)}`);
  const accepted = fields["acceptedChanges"];
  if (!Array.isArray(accepted) || accepted.length > MOST_PATHS || !accepted.every(isText))
    throw invalidAnswer(
      "InvalidAnswer",
      `acceptedChanges must be a list of at most ${MOST_PATHS} paths, but is ${quoted(accepted)}`,
    );
  return accepted;
}

/** Whether the Node must be drained before the update. Throws a Failure if the answer does not say it clearly. */
export function readNeedsDrain(body: unknown): boolean {
  const { needsDrain = false } = objectIn(body);
  if (typeof needsDrain === "boolean") return needsDrain;
  if (needsDrain === null) return false;
  throw invalidAnswer("InvalidAnswer", `needsDrain must be true or false, but is ${quoted(needsDrain)}`);
}

/** What an updater says to users beside its answer. */
export function messageIn(body: unknown): { readonly message?: string } {
  const message = isJsonObject(body) ? body["message"] : undefined;
  const said = isText(message) ? plainText(message) : "";
  return said === "" ? {} : { message: said };
}

/** The progress of an update. Throws a Failure if the answer is not one of the API. */
export function readUpdateAnswer(body: unknown): UpdateAnswer {
  const fields = objectIn(body);
  const error = errorIn(fields);
  const status = fields["status"];
  // The error counts, whatever the status is.
  if (status === "Error" || (error !== undefined && status !== "InProgress"))
    return { status: "Error", message: error ?? "the updater gave no reason" };
  // The proposal has both words.
  if (status === "Done" || status === "Success") return { status: "Done" };
  if (status !== "InProgress")
    throw invalidAnswer(
      "InvalidAnswer",
      `status must be InProgress, Done or Error, but is ${quoted(status)}`,
    );
  const message = fields["message"];
  const said = error ?? (isText(message) ? plainText(message) : "");
  return { status, waitMs: waitIn(fields["tryAgain"]), message: said };
}

function waitIn(tryAgain: unknown): number {
  if (tryAgain === undefined || tryAgain === null || tryAgain === "") return DEFAULT_WAIT_MS;
  if (!isText(tryAgain) || durationProblem(tryAgain) !== undefined)
    throw invalidAnswer(
      "InvalidAnswer",
      `tryAgain must be a duration such as 5m0s, but is ${quoted(tryAgain)}`,
    );
  return Math.min(Math.max(parseDuration(tryAgain), SECOND_MS), LONGEST_WAIT_MS);
}

/** The fields of an answer, which must be an object. */
export function objectIn(body: unknown): Readonly<Record<string, unknown>> {
  if (isJsonObject(body)) return body;
  throw invalidAnswer("InvalidAnswer", `must answer with a JSON object, but answered ${quoted(body)}`);
}

function errorIn({ error }: Readonly<Record<string, unknown>>): string | undefined {
  if (error === undefined || error === null || error === "") return undefined;
  return plainText(isText(error) ? error : JSON.stringify(error));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A value of an answer as a message can show it. */
export function quoted(value: unknown): string {
  return plainText(JSON.stringify(value) ?? "missing", 128);
}

/** A text of an updater as a condition can show it: short, without control characters. */
export function plainText(text: string, longest = LONGEST_MESSAGE): string {
  return boundedText(text, longest).trim();
}

/** An answer that the manager cannot use. It may be another one at the next call. */
export function invalidAnswer(reason: string, message: string): Failure {
  return transient(reason, message);
}
