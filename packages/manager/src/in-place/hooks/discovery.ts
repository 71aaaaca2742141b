/** Reads what an extension says about itself, and refuses what the controllers could not use. */
import { dns1123LabelProblems, type ExtensionConfig, isJsonObject } from "@capstan/api";
import { invalidAnswer, plainText } from "./messages.ts";
import { DISCOVERY_API, UPDATER_API, UPDATER_HOOKS } from "./hook-api.ts";

type Handler = NonNullable<NonNullable<ExtensionConfig["status"]>["handlers"]>[number];

const MOST_HANDLERS = 64;
const LONGEST_TIMEOUT_SECONDS = 30;
const LONGEST_NAME = 256;

/** The handlers of an extension, with the names that they have in the status of its ExtensionConfig. */
export function readDiscovery(body: unknown, extension: string): Handler[] {
  if (!isJsonObject(body))
    throw invalidAnswer("InvalidAnswer", "must answer the discovery with a JSON object");
  if (body["status"] === "Failure") {
    const message = typeof body["message"] === "string" ? plainText(body["message"]) : "it gave no reason";
    throw invalidAnswer("DiscoveryFailed", `answered the discovery with a failure: ${message}`);
  }
  const handlers = body["handlers"];
  if (!Array.isArray(handlers) || handlers.length > MOST_HANDLERS)
    throw invalidAnswer("InvalidAnswer", `handlers must be a list of at most ${MOST_HANDLERS} handlers`);
  const read = handlers.map((handler: unknown, at) => handlerIn(handler, `handlers[${at}]`, extension));
  const twice = read.find(({ name }, at) => read.findIndex((other) => other.name === name) !== at);
  if (twice) throw invalidAnswer("InvalidAnswer", `two handlers have the name ${JSON.stringify(twice.name)}`);
  const hooks = read.map(({ requestHook: { apiVersion, hook } }) => `${apiVersion} ${hook}`);
  const double = hooks.find((hook, at) => hooks.indexOf(hook) !== at);
  if (double !== undefined) throw invalidAnswer("InvalidAnswer", `two handlers implement the hook ${double}`);
  return read;
}

function handlerIn(value: unknown, field: string, extension: string): Handler {
  if (!isJsonObject(value) || !isJsonObject(value["requestHook"]))
    throw invalidAnswer("InvalidAnswer", `${field} must have a name and a requestHook`);
  const name = textIn(value["name"], `${field}.name`);
  const [problem] = dns1123LabelProblems(name);
  if (problem !== undefined)
    throw invalidAnswer("InvalidAnswer", `${field}.name ${JSON.stringify(name)}: ${problem}`);
  const apiVersion = textIn(value["requestHook"]["apiVersion"], `${field}.requestHook.apiVersion`);
  const hook = textIn(value["requestHook"]["hook"], `${field}.requestHook.hook`);
  requireKnown(apiVersion, hook, field);
  return {
    name: `${name}.${extension}`,
    requestHook: { apiVersion, hook },
    ...timeoutIn(value["timeoutSeconds"], field),
    ...policyIn(value["failurePolicy"], field),
  };
}

/** Handlers of Cluster API's own hooks are listed, and never called. */
function requireKnown(apiVersion: string, hook: string, field: string): void {
  if (apiVersion === DISCOVERY_API) return;
  const isHook = (UPDATER_HOOKS as readonly string[]).includes(hook);
  if (apiVersion === UPDATER_API && isHook) return;
  const known = `${UPDATER_API} with ${UPDATER_HOOKS.join(" and ")}`;
  throw invalidAnswer(
    "UnknownHook",
    `${field}.requestHook ${apiVersion} ${hook} is unknown; known: ${known}`,
  );
}

function textIn(value: unknown, field: string): string {
  if (typeof value === "string" && value !== "" && value.length <= LONGEST_NAME) return plainText(value);
  throw invalidAnswer("InvalidAnswer", `${field} must be a text of 1 to ${LONGEST_NAME} characters`);
}

function timeoutIn(value: unknown, field: string): Pick<Handler, "timeoutSeconds"> {
  if (value === undefined || value === null || value === 0) return {};
  if (typeof value === "number" && Number.isInteger(value) && value > 0 && value <= LONGEST_TIMEOUT_SECONDS)
    return { timeoutSeconds: value };
  const shown = plainText(JSON.stringify(value), 64);
  throw invalidAnswer(
    "InvalidAnswer",
    `${field}.timeoutSeconds must be 1 to ${LONGEST_TIMEOUT_SECONDS}, but is ${shown}`,
  );
}

function policyIn(value: unknown, field: string): Pick<Handler, "failurePolicy"> {
  if (value === undefined || value === null || value === "") return {};
  if (value === "Fail" || value === "Ignore") return { failurePolicy: value };
  const shown = plainText(JSON.stringify(value), 64);
  throw invalidAnswer("InvalidAnswer", `${field}.failurePolicy must be Fail or Ignore, but is ${shown}`);
}
