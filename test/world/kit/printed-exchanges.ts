/** The requests and answers of updaters, compared with those that the proposal for updates in place prints. */
import type { Handler } from "@capstan/env";
import type { Updater } from "@capstan/updater";
import { expect } from "vitest";

/** A request to an updater, and its answer. */
export interface Exchange {
  readonly updater: string;
  readonly hook: "CanUpdateMachine" | "UpdateMachine";
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
}

/** Records requests and answers of updaters, without discoveries. */
export function recording(exchanges: Exchange[], { name, handle }: Updater): Handler {
  return async (request) => {
    const response = await handle(request);
    const path = /canupdatemachine|updatemachine/.exec(request.path)?.[0];
    const hook = path === "canupdatemachine" ? "CanUpdateMachine" : "UpdateMachine";
    const body = request.body as Exchange["request"];
    if (path) exchanges.push({ updater: name, hook, request: body, answer: await response.json() });
    return response;
  };
}

/** The exchange as the proposal prints it: the names of its fields in their order. */
export function shownExchange({ updater, hook, request, answer }: Exchange): string {
  return [`${updater}/${hook}`, ...[request, answer].map((body) => JSON.stringify(body, null, 2)), ""].join(
    "\n",
  );
}

// What the proposal does not print.
const MORE = new Set([
  "apiVersion",
  "kind",
  "settings",
  "currentMachine",
  "currentBootstrapConfig",
  "currentInfraMachine",
]);

/** The question and the answer that the proposal prints; it prints the objects as `{...}`. */
export function printedQuestion(
  updater: string,
  changes: readonly string[],
  acceptedChanges: readonly string[],
): Exchange {
  const object = expect.objectContaining({ spec: expect.anything() as unknown }) as unknown;
  const request = {
    desiredMachine: object,
    desiredBootstrapConfig: object,
    desiredInfraMachine: object,
    changes,
  };
  return { updater, hook: "CanUpdateMachine", request, answer: { error: null, acceptedChanges } };
}

/** The two calls of an update that takes five minutes, as the proposal prints them. */
export function printedUpdate(updater: string, name: string): readonly Exchange[] {
  const request = { machine: { name, namespace: "default" } };
  return [
    {
      updater,
      hook: "UpdateMachine",
      request,
      answer: { error: null, status: "InProgress", tryAgain: "5m0s" },
    },
    { updater, hook: "UpdateMachine", request, answer: { error: null, status: "Done" } },
  ];
}

/** Expects what the proposal prints, as parsed JSON, and nothing beside it but fields that it leaves out. */
export function expectPrinted(exchanges: readonly Exchange[], printed: readonly Exchange[]): void {
  const known = exchanges.map(({ request, ...rest }) => {
    const entries = Object.entries(request).filter(([field]) => !MORE.has(field));
    return { ...rest, request: Object.fromEntries(entries) };
  });
  expect(known).toEqual(printed);
}
