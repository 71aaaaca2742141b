import { HOOKS_API } from "../cluster-api/wire.ts";
import { isObject, type JsonObject } from "../request-body.ts";
import { okOf, shown } from "./answer-problems.ts";
import type { SendTo, TestedHandler } from "./checks.ts";

/** The API of the proposal's hooks. */
export const UPDATER_API = "updaters.capstan.dev/v1alpha1";

type DiscoveredHandler = Omit<TestedHandler, "hugeBytes">;

/** What a caller learns about an updater. */
export interface Discovered {
  readonly handlers: readonly DiscoveredHandler[];
  /** What is wrong with the answer. */
  readonly problems: readonly string[];
}

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  [UPDATER_API]: ["CanUpdateMachine", "UpdateMachine"],
  [HOOKS_API]: ["CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"],
};
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const USUAL_TIMEOUT_SECONDS = 10;
const LONGEST_TIMEOUT_SECONDS = 30;

/** Asks for the handlers, as Capstan or as the controllers of Cluster API. */
export async function discover(send: SendTo, caller: "capstan" | "cluster-api"): Promise<Discovered> {
  const body = { apiVersion: HOOKS_API, kind: "DiscoveryRequest" };
  const headers = { "user-agent": caller === "capstan" ? "capstan" : "Go-http-client/2.0" };
  const received = await send({ path: `/${HOOKS_API}/discovery`, body: JSON.stringify(body), headers });
  const answer = okOf(received);
  if (typeof answer === "string") return { handlers: [], problems: [answer] };
  const { status, handlers, message } = answer;
  if (status !== "Success")
    return { handlers: [], problems: [`status is ${shown(status)}: ${shown(message ?? "no message")}`] };
  if (!Array.isArray(handlers))
    return { handlers: [], problems: [`handlers must be a list, but is ${shown(handlers)}`] };
  const read = handlers.map((one: unknown, index) => handlerIn(one, `handlers[${index}]`));
  const names = read.map(({ handler }) => handler?.name);
  const twice = names.find((name, index) => name !== undefined && names.indexOf(name) !== index);
  return {
    handlers: read.flatMap(({ handler }) => handler ?? []),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...(twice === undefined ? [] : [`two handlers have the name ${twice}`]),
      ...(read.length === 0 ? ["there are no handlers"] : []),
      ...(caller === "cluster-api" ? foreignProblems(read.flatMap(({ handler }) => handler ?? [])) : []),
    ],
  };
}

function foreignProblems(handlers: readonly DiscoveredHandler[]): readonly string[] {
  return handlers
    .filter(({ api }) => api !== HOOKS_API)
    .map(
      ({ name, api }) =>
        `handler ${name} has the hook of ${api}: Cluster API then refuses the whole discovery`,
    );
}

function handlerIn(
  value: unknown,
  where: string,
): { readonly handler?: DiscoveredHandler; readonly problems: readonly string[] } {
  if (!isObject(value) || !isObject(value["requestHook"]))
    return { problems: [`${where} has no name and requestHook`] };
  const { apiVersion, hook } = value["requestHook"];
  const problems = handlerProblems(value, { apiVersion, hook }).map((problem) => `${where}${problem}`);
  if (problems.length > 0) return { problems };
  const { name, timeoutSeconds } = value;
  const seconds =
    typeof timeoutSeconds === "number" && timeoutSeconds > 0 ? timeoutSeconds : USUAL_TIMEOUT_SECONDS;
  return {
    problems,
    handler: { api: String(apiVersion), hook: String(hook), name: String(name), timeoutSeconds: seconds },
  };
}

const POLICIES: readonly unknown[] = [undefined, null, "", "Fail", "Ignore"];

function handlerProblems(
  { name, timeoutSeconds, failurePolicy }: JsonObject,
  { apiVersion, hook }: { readonly apiVersion: unknown; readonly hook: unknown },
): readonly string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [typeof name === "string" && NAME.test(name), `.name ${shown(name)} is not a DNS label`],
    [
      (KNOWN[String(apiVersion)] ?? []).includes(String(hook)),
      `.requestHook ${shown(apiVersion)} ${shown(hook)} is unknown`,
    ],
    [isTimeout(timeoutSeconds), `.timeoutSeconds must be 1 to 30, but is ${shown(timeoutSeconds)}`],
    [
      POLICIES.includes(failurePolicy),
      `.failurePolicy must be Fail or Ignore, but is ${shown(failurePolicy)}`,
    ],
    [
      hook !== "UpdateMachine" || failurePolicy !== "Ignore",
      ".failurePolicy Ignore: Cluster API would take each failed call of UpdateMachine for a complete update",
    ],
  ];
  return checks.flatMap(([isRight, problem]) => (isRight ? [] : [problem]));
}

function isTimeout(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LONGEST_TIMEOUT_SECONDS
  );
}
