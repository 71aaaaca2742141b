import { speedProblem } from "@capstan/env";
import { type Answer, empty, reply } from "../arm/answer.ts";
import { parseBody, requireBody } from "../arm/body.ts";
import { ArmError, invalidParameter } from "../arm/errors.ts";
import type { SimRequest } from "../core/call.ts";
import { type JsonObject, objectAt, textAt } from "../json.ts";
import type { Control } from "./control.ts";
import { parseFault, parseProhibition } from "./parse.ts";

const PREFIX = "/_sim/";

/** Answers the control API; undefined for every other path. Without a token in the settings the API does not exist. */
export function controlAnswer(
  request: SimRequest,
  control: Control,
  token: string | undefined,
): Answer | undefined {
  if (!request.path.startsWith(PREFIX) || token === undefined) return undefined;
  if (request.headers["authorization"] !== `Bearer ${token}`) {
    return reply(401, {
      error: { code: "Unauthorized", message: "The control API needs its own bearer token." },
    });
  }
  const [path = "", query = ""] = request.path.slice(PREFIX.length).split("?");
  try {
    return routed({ request, control, path, query: new URLSearchParams(query) });
  } catch (error) {
    if (error instanceof ArmError) return reply(error.status, error.body);
    throw error;
  }
}

interface Asked {
  readonly request: SimRequest;
  readonly control: Control;
  readonly path: string;
  readonly query: URLSearchParams;
}

function routed(asked: Asked): Answer {
  const { request, control, path } = asked;
  const [noun = "", name] = path.split("/").map(decodeURIComponent);
  const route = ROUTES[`${request.method} ${noun}`];
  if (!route) {
    const known = Object.keys(ROUTES).join(", ");
    throw new ArmError(404, {
      code: "NotFound",
      message: `${request.method} /_sim/${path} does not exist; use one of ${known}.`,
    });
  }
  const body = request.method === "POST" ? requireBody(parseBody(request.body, "application/json")) : {};
  return route(control, { body, name: name ?? "", query: asked.query });
}

interface Input {
  readonly body: JsonObject;
  readonly name: string;
  readonly query: URLSearchParams;
}

type ControlRoute = (control: Control, input: Input) => Answer;

const clock = (control: Control): Answer =>
  reply(200, { now: new Date(control.nowMs).toISOString(), speed: control.speed });

const ROUTES: Readonly<Record<string, ControlRoute>> = {
  "GET clock": clock,
  "POST clock": (control, { body }) => {
    if (body["advanceSeconds"] !== undefined) control.advance(advanceMs(control, body));
    if (body["speed"] !== undefined) control.setSpeed(speedIn(body));
    return clock(control);
  },
  "GET seed": (control) => reply(200, { seed: control.seed }),
  "GET state": (control) => reply(200, control.state()),
  "GET journal": (control, { query }) =>
    reply(200, { hash: control.journalHash, entries: control.journal(Number(query.get("since") ?? 0)) }),
  "GET faults": (control) => reply(200, { value: control.faults() }),
  "POST faults": (control, { body }) => {
    const rule = parseFault(body);
    control.addFault(rule);
    return reply(201, rule);
  },
  "DELETE faults": (control, { name }) => {
    checkKnown(
      "fault",
      name,
      control.faults().map(({ id }) => id),
    );
    control.removeFault(name);
    return empty(204);
  },
  "GET prohibitions": (control) => reply(200, { value: control.prohibitions() }),
  "POST prohibitions": (control, { body }) => {
    const prohibition = parseProhibition(body);
    control.forbid(prohibition);
    return reply(201, prohibition);
  },
  "DELETE prohibitions": (control, { name }) => {
    checkKnown(
      "prohibition",
      name,
      control.prohibitions().map((one) => one.name),
    );
    control.allow(name);
    return empty(204);
  },
  "POST actions": (control, { body, name }) => act(control, name, body),
};

/** Refuses to remove what does not exist: the caller has probably mistyped the name. */
function checkKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new ArmError(404, {
    code: "NotFound",
    message: `The ${what} '${name}' does not exist; ${known.length === 0 ? "none is active" : `active: ${known.join(", ")}`}.`,
  });
}

/** An action of another client; the answer is ARM's. */
function act(control: Control, name: string, body: JsonObject): Answer {
  if (name === "deleteResource") return control.deleteResource(required(body, "id"));
  if (name === "file" && body["imageId"] !== undefined)
    return onDisk(control, required(body, "imageId"), body);
  const scaleSetId = required(body, "scaleSetId");
  if (name === "deleteInstance") return control.deleteResource(instanceIn(scaleSetId, body));
  if (name === "evict") return control.evict(instanceIn(scaleSetId, body));
  if (name === "file") return onDisk(control, instanceIn(scaleSetId, body), body);
  if (name === "setCapacity")
    return control.setCapacity(scaleSetId, Number(objectAt({ body }, "body")["capacity"]));
  throw new ArmError(404, {
    code: "NotFound",
    message: `The action '${name}' does not exist; use deleteInstance, deleteResource, evict, file or setCapacity.`,
  });
}

/** Reads a file of a machine or an image, or writes the content that the body has. */
function onDisk(control: Control, id: string, body: JsonObject): Answer {
  const path = required(body, "path");
  if (body["content"] !== undefined) {
    control.writeFile(id, path, required(body, "content"));
    return empty(204);
  }
  const content = control.readFile(id, path);
  if (content !== undefined) return reply(200, { content });
  throw new ArmError(404, {
    code: "NotFound",
    message: fileIsMissing(path, id),
  });
}

function fileIsMissing(path: string, id: string): string {
  const where = /\/versions\//i.test(id) ? "in this image" : "on this machine";
  return path.endsWith("/")
    ? `The folder '${path}' has no files ${where}.`
    : `The file '${path}' does not exist ${where}.`;
}

/** The ARM id of the instance that a body names. */
function instanceIn(scaleSetId: string, body: JsonObject): string {
  return `${scaleSetId}/virtualMachines/${required(body, "instanceId")}`;
}

function required(body: JsonObject, field: string): string {
  const text = textAt(body, field);
  if (text === undefined)
    throw invalidParameter(field, `${field} is ${JSON.stringify(body[field])}; it needs a text.`);
  return text;
}

function speedIn(body: JsonObject): number {
  const { speed } = body;
  const problem = speedProblem(speed);
  if (problem !== undefined) throw invalidParameter("speed", `speed ${problem}.`);
  return speed as number;
}

// Certificates, tokens and JavaScript's dates end at some time; a data directory beyond it could not be opened again.
const LATEST_MS = Date.UTC(2200, 0);

function advanceMs({ nowMs }: Control, body: JsonObject): number {
  const byMs = positive(body, "advanceSeconds") * 1000;
  if (nowMs + byMs < LATEST_MS) return byMs;
  const most = Math.max(0, Math.floor((LATEST_MS - nowMs) / 1000));
  throw invalidParameter(
    "advanceSeconds",
    `advanceSeconds is ${byMs / 1000}; the clock must stay before the year 2200, so at most ${most} are possible.`,
  );
}

function positive(body: JsonObject, field: string): number {
  const value = body[field];
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw invalidParameter(field, `${field} is ${JSON.stringify(value)}; it needs a number above 0.`);
}
