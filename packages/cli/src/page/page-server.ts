import {
  APP_ID,
  LOGGED_IN,
  LOGGED_IN_WITH_AZURE,
  LONGEST_MANIFEST,
  type Picture,
  PLAN,
  SESSION_PATH,
  STREAM,
  type ViewName,
} from "@capstan/page";
import type { Env, HttpRequest, HttpResponse } from "@capstan/env";
import { Failure } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { causeFirst } from "../render/cause-first.ts";
import { readableText } from "./live/readable-text.ts";
import { answer, eventStream } from "./answers.ts";
import type { AppFiles } from "./build-app.ts";
import { followView, type LiveView } from "./live/follow-view.ts";
import type { LiveObjects } from "./live/live-objects.ts";
import { refusalOf } from "./request-rules.ts";
import type { Sessions } from "./sessions.ts";

/** The parameters of a stream, as a browser gives them. */
export type StreamParameters = { readonly view: ViewName } & Readonly<
  Partial<Record<"apiVersion" | "kind" | "namespace" | "name", string>>
>;

/** What the server of the page needs. */
export interface PageOptions {
  readonly env: Env;
  readonly sessions: Sessions;
  readonly files: () => Promise<AppFiles>;
  /** The objects; they are read from the first login on. */
  readonly live: () => Promise<LiveObjects>;
  readonly now: () => number;
  /** Whether there is a simulated Azure to show. */
  readonly hasAzure: boolean;
  /** The view of a stream; a text says why there is none. */
  readonly viewFor: (live: LiveObjects, parameters: StreamParameters) => LiveView | string;
  /** Plans a manifest with the user's own credential. */
  readonly plan: (manifest: string) => Promise<Picture>;
}

/** The longest body: a manifest. */
export const BODY_LIMIT_BYTES = LONGEST_MANIFEST;

const LONGEST_TOKEN = 1024;
// A plan of a large fleet takes seconds of a core.
const MOST_PLANS = 2;

// A browser opens six connections to a server; a user has a few windows.
const MOST_STREAMS = 32;

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Capstan</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/app.js"></script>
</head>
<body>
<div id="${APP_ID}"></div>
<noscript>This page needs JavaScript. In a terminal: capstan get clusters.</noscript>
</body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="none" stroke="#4a7fc1" stroke-width="2"/><path d="M8 1.5v13M1.5 8h13" stroke="#4a7fc1" stroke-width="1.5"/></svg>`;

/** Answers the requests of browsers: the page without a login, everything about a cluster with one. It changes nothing. */
export class PageServer {
  readonly #options: PageOptions;
  #files: Promise<AppFiles> | undefined;
  #streams = 0;
  #plans = 0;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  /** Answers one request; `port` is where the server listens. */
  async handle(request: HttpRequest, port: number): Promise<HttpResponse> {
    const refusal = refusalOf(request, port);
    if (refusal) return refusal;
    try {
      const { pathname, searchParams } = new URL(`http://page${request.path}`);
      const data = /^\/s\/([0-9a-f]{64})\/([a-z]+)$/.exec(pathname);
      if (data) return await this.#data(data, { request, port, searchParams });
      if (request.method === "POST") return this.#openSession(pathname, request, port);
      return await this.#file(pathname);
    } catch (error) {
      return answer(500, error instanceof Error ? error.message : String(error));
    }
  }

  #openSession(pathname: string, { body, headers }: HttpRequest, port: number): HttpResponse {
    if (pathname !== SESSION_PATH) return answer(405, "only a login is posted", { allow: "GET" });
    if (headers["content-type"] !== "text/plain" || typeof body !== "string" || body.length > LONGEST_TOKEN)
      return answer(400, "a login is the token of a link, as text/plain");
    const session = this.#options.sessions.exchangeToken(body);
    if (!session)
      return answer(403, "the link was used, or is of another start; capstan page prints a new one");
    const cookie = `${cookieName(port)}=${session.secret}; Path=/s/${session.id}; HttpOnly; SameSite=Strict`;
    return answer(200, session.id, { "set-cookie": cookie });
  }

  async #data(
    [, id = "", what = ""]: RegExpExecArray,
    { request, port, searchParams }: DataRequest,
  ): Promise<HttpResponse> {
    if (!this.#options.sessions.admits(id, cookieIn(request.headers["cookie"], cookieName(port))))
      return answer(401, "not logged in; capstan page prints a link");
    if (request.method === "POST")
      return what === PLAN
        ? await this.#plan(request)
        : answer(405, "only a plan is posted", { allow: "GET" });
    // Streams cannot tell a browser why they do not open, so it asks for its session first.
    if (what === "session")
      return searchParams.has("view")
        ? await this.#check(searchParams)
        : answer(200, this.#options.hasAzure ? LOGGED_IN_WITH_AZURE : LOGGED_IN);
    return what === STREAM
      ? await this.#stream(searchParams, request.signal)
      : answer(404, "there is no such data");
  }

  /** A plan of a posted manifest; the sentence about a manifest that cannot be planned is for the user, too. */
  async #plan({ body, headers }: HttpRequest): Promise<HttpResponse> {
    if (headers["content-type"] !== "text/plain" || typeof body !== "string")
      return answer(400, "a plan is asked for with manifests, as text/plain");
    if (this.#plans >= MOST_PLANS) return answer(429, `${MOST_PLANS} plans are being made; try again`);
    this.#plans++;
    try {
      const picture = JSON.stringify(await this.#options.plan(body));
      return answer(200, picture, { "content-type": "application/json; charset=utf-8" });
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof Failure)) throw error;
      return answer(422, readableText(causeFirst(error.message)));
    } finally {
      this.#plans--;
    }
  }

  /** Whether a stream could be opened. */
  async #check(query: URLSearchParams): Promise<HttpResponse> {
    const { live, viewFor } = this.#options;
    if (this.#streams >= MOST_STREAMS) return tooMany();
    const view = viewFor(await live(), parametersOf(query));
    return typeof view === "string" ? answer(404, view) : answer(200, LOGGED_IN);
  }

  async #stream(
    query: URLSearchParams,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<HttpResponse> {
    const { live: open, viewFor, env, now } = this.#options;
    if (this.#streams >= MOST_STREAMS) return tooMany();
    const live = await open();
    const view = viewFor(live, parametersOf(query));
    if (typeof view === "string") return answer(404, view);
    const either = AbortSignal.any([signal, live.ended]);
    return eventStream(() => this.#counted(followView({ env, live, now, view, signal: either })));
  }

  async *#counted(chunks: AsyncIterable<string>): AsyncGenerator<string> {
    this.#streams++;
    try {
      yield* chunks;
    } finally {
      this.#streams--;
    }
  }

  async #file(pathname: string): Promise<HttpResponse> {
    if (pathname === "/icon.svg") return answer(200, ICON, { "content-type": "image/svg+xml" });
    if (pathname === "/app.js" || pathname === "/style.css") {
      const { script, style } = await (this.#files ??= this.#options.files());
      return pathname === "/app.js"
        ? answer(200, script, { "content-type": "text/javascript; charset=utf-8" })
        : answer(200, style, { "content-type": "text/css; charset=utf-8" });
    }
    const isView = /^\/($|azure$|azure\/|clusters\/|rollouts\/|objects\/|plan$)/.test(pathname);
    return isView
      ? answer(200, HTML, { "content-type": "text/html; charset=utf-8" })
      : answer(404, "there is no such page");
  }
}

function tooMany(): HttpResponse {
  return answer(429, `${MOST_STREAMS} windows show the page already; close one`);
}

interface DataRequest {
  readonly request: HttpRequest;
  readonly port: number;
  readonly searchParams: URLSearchParams;
}

/** Browsers keep the cookies of all ports of a host together. */
function cookieName(port: number): string {
  return `capstan-${port}`;
}

function cookieIn(header: string | undefined, name: string): string {
  for (const part of (header ?? "").split(";")) {
    const [key = "", value = ""] = part.trim().split("=");
    if (key === name) return value;
  }
  return "";
}

function parametersOf(query: URLSearchParams): StreamParameters {
  const { view = "fleet", ...names } = Object.fromEntries(query);
  return { ...names, view: view as ViewName };
}
