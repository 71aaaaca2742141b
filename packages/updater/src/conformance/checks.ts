/** The checks of the kit. Each one says what a controller relies on; its text is in the report. */
import { HOOKS_API } from "../cluster-api/wire.ts";
import {
  okOf,
  patchesProblem,
  pathsProblem,
  progressProblem,
  refusalProblem,
  retryProblem,
  shown,
} from "./answer-problems.ts";
import type { Received, Sent } from "./caller.ts";
import { CHANGES, hookRequest, MISSING_MACHINE, pathQuestion, sidesOf, type Variation } from "./questions.ts";

/** A handler of the updater under test. */
export interface TestedHandler {
  readonly api: string;
  readonly hook: string;
  readonly name: string;
  readonly timeoutSeconds: number;
  /** The length of a body that no server needs to read. */
  readonly hugeBytes: number;
}

/** Sends a request to the updater under test. */
export type SendTo = (
  request: Omit<Sent, "timeoutSeconds"> & {
    /** Sent on a connection of its own, because the server may break it off. */
    readonly isBrokenOff?: boolean;
  },
) => Promise<Received>;

/** A Machine of the management cluster, to call UpdateMachine for. */
export interface NamedMachine {
  readonly name: string;
  readonly namespace: string;
}

/** One check of one handler: a text is what is wrong. */
export interface Check {
  readonly says: string;
  readonly run: (send: SendTo, handler: TestedHandler) => Promise<string | undefined>;
}

/** The path of a handler. */
export function pathOf({ api, hook, name }: Pick<TestedHandler, "api" | "hook" | "name">): string {
  return `/${api}/${hook.toLowerCase()}/${name}`;
}

const AT_ONCE = 8;

/** A request that every handler can answer. */
function plainRequest({ api, hook }: TestedHandler, variation: Variation = {}): object {
  if (hook === "UpdateMachine") return updateRequest(api, MISSING_MACHINE);
  if (api !== HOOKS_API) return pathQuestion(CHANGES, variation);
  return hookRequest(hook, sidesOf(hook === "CanUpdateMachineSet", variation));
}

function updateRequest(api: string, machine: NamedMachine): object {
  if (api !== HOOKS_API) return { machine };
  const { desired } = sidesOf(false);
  const named = { ...(desired["machine"] as object), metadata: machine };
  return hookRequest("UpdateMachine", { desired: { ...desired, machine: named } });
}

/** What is wrong with the answer to a request that every handler can answer. */
function plainProblem(
  { api, hook }: TestedHandler,
  received: Received,
  variation: Variation = {},
): string | undefined {
  const isUpdate = hook === "UpdateMachine";
  if (api !== HOOKS_API) return isUpdate ? progressProblem(received) : pathsProblem(received);
  return isUpdate
    ? retryProblem(received)
    : patchesProblem(received, sidesOf(hook === "CanUpdateMachineSet", variation));
}

function asks(says: string, variation: Variation = {}): Check {
  return {
    says,
    run: async (send, handler) =>
      plainProblem(
        handler,
        await send({ path: pathOf(handler), body: plainRequest(handler, variation) }),
        variation,
      ),
  };
}

function refuses(says: string, change: (handler: TestedHandler) => Omit<Sent, "timeoutSeconds">): Check {
  return { says, run: async (send, handler) => refusalProblem(await send(change(handler))) };
}

const IS_HTTP: readonly Check[] = [
  refuses("a GET is refused", (handler) => ({ method: "GET", path: pathOf(handler) })),
  refuses("an unknown path is refused", (handler) => ({ path: `${pathOf(handler)}-unknown`, body: {} })),
  refuses("an empty body is refused", (handler) => ({ path: pathOf(handler), body: "" })),
  refuses("a body that is not JSON is refused", (handler) => ({ path: pathOf(handler), body: "{" })),
  refuses("a list as the body is refused", (handler) => ({ path: pathOf(handler), body: "[]" })),
  refuses("an object without the fields of the request is refused", (handler) => ({
    path: pathOf(handler),
    body: {},
  })),
  {
    says: "a huge body does not end the server",
    run: async (send, handler) => {
      const path = pathOf(handler);
      const huge = await send({ path, body: `{"a":"${"x".repeat(handler.hugeBytes)}"}`, isBrokenOff: true });
      // The server may close the connection before it has read all of it.
      if (huge.problem === undefined && huge.status < 400) return `answered with HTTP status ${huge.status}`;
      return plainProblem(handler, await send({ path, body: plainRequest(handler) }));
    },
  },
  {
    says: "a content type is accepted, and not needed",
    run: async (send, handler) => {
      const body = JSON.stringify(plainRequest(handler));
      const headers = { "content-type": "application/json" };
      const [without, having] = [
        await send({ path: pathOf(handler), body }),
        await send({ path: pathOf(handler), body, headers }),
      ];
      return plainProblem(handler, without) ?? plainProblem(handler, having);
    },
  },
  {
    says: `${AT_ONCE} calls at once get the same answer`,
    run: async (send, handler) => {
      const request = { path: pathOf(handler), body: plainRequest(handler) };
      const all = await Promise.all(Array.from({ length: AT_ONCE }, () => send(request)));
      const problem = all.map((received) => plainProblem(handler, received)).find((one) => one !== undefined);
      if (problem !== undefined) return problem;
      const [first] = all;
      const other = all.find((received) => outcomeOf(received) !== (first && outcomeOf(first)));
      return other && `one answered ${shown(first?.text)}, another one ${shown(other.text)}`;
    },
  },
];

/** The part of an answer that must not depend on luck. */
function outcomeOf({ json = {} }: Received): string {
  const { message: _message, tryAgain: _tryAgain, retryAfterSeconds, ...rest } = json;
  return JSON.stringify({ ...rest, isDone: retryAfterSeconds === 0 });
}

const ASKS: readonly Check[] = [
  asks("a change of version, size and files is answered"),
  asks("unknown fields are ignored", { hasUnknownFields: true }),
  asks("a machine without a bootstrap config is answered", { hasNoBootstrap: true }),
  asks("an infrastructure of another kind is answered", { isForeign: true }),
  {
    says: "no change is no work: nothing is accepted or patched",
    run: async (send, handler) => {
      const isSet = handler.hook === "CanUpdateMachineSet";
      const sides = sidesOf(isSet, {}, false);
      const body = handler.api === HOOKS_API ? hookRequest(handler.hook, sides) : pathQuestion([]);
      const received = await send({ path: pathOf(handler), body });
      return handler.api === HOOKS_API ? patchesProblem(received, sides) : pathsProblem(received, []);
    },
  },
];

const UPDATES: readonly Check[] = [
  asks("an answer has a status, and a sane time to come back"),
  {
    says: "a Machine that does not exist is not reported as done",
    run: async (send, handler) => {
      const answer = okOf(await send({ path: pathOf(handler), body: plainRequest(handler) }));
      if (typeof answer === "string") return answer;
      const { status, retryAfterSeconds } = answer;
      const isDone = status === "Done" || (status === "Success" && (retryAfterSeconds ?? 0) === 0);
      return isDone ? `answered ${shown(answer)}: controllers would believe it` : undefined;
    },
  },
  {
    says: "the same call twice gets the same answer",
    run: async (send, handler) => {
      const request = { path: pathOf(handler), body: plainRequest(handler) };
      const [first, second] = [await send(request), await send(request)];
      if (outcomeOf(first) === outcomeOf(second)) return plainProblem(handler, second);
      return `first ${shown(first.text)}, then ${shown(second.text)}`;
    },
  },
];

/** The checks of a handler. */
export function checksOf({ hook }: TestedHandler): readonly Check[] {
  return [...(hook === "UpdateMachine" ? UPDATES : ASKS), ...IS_HTTP];
}

/** The check with a Machine of the user's, which is updated: only if it is named. */
export function machineCheck(machine: NamedMachine): Check {
  return {
    says: `Machine ${machine.namespace}/${machine.name}: repeated calls are well formed`,
    run: async (send, handler) => {
      for (let call = 0; call < 3; call++) {
        const body = updateRequest(handler.api, machine);
        const problem = plainProblem(handler, await send({ path: pathOf(handler), body }));
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}
