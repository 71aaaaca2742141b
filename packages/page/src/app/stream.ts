import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { LOGGED_IN_WITH_AZURE, SESSION_PATH, STREAM, streamQuery, type StreamRequest } from "../addresses.ts";
import type { Message, Row } from "../protocol.ts";
import { after, type Answer, ask, elapsedMs, every, keep, kept, openStream } from "./browser.ts";
import { emptyView, type ShownView, viewAfter } from "./view-store.ts";

const KEPT_SESSION = "capstan-session";

/** Whether this browser is logged in. */
export type Login = "asking" | "in" | "out";

/** Whether this browser is logged in; undefined while it asks. */
export const login = signal<Login>("asking");

/** Why not. */
export const loginProblem = signal("");

/** Whether this page has a simulated Azure to show. */
export const hasAzure = signal(false);

/** Whether the stream of the view is open. */
export const isConnected = signal(true);

/** The time of the cluster, once a second. */
export const nowMs = signal(0);

let clock = { atMs: 0, clusterMs: 0, speed: 1 };

/** The clock of the cluster may run faster than this browser's: two messages show how much. */
function setTime(clusterMs: number): void {
  const atMs = elapsedMs();
  const passedMs = atMs - clock.atMs;
  const speed =
    clock.clusterMs > 0 && passedMs > 1000 ? (clusterMs - clock.clusterMs) / passedMs : clock.speed;
  if (clock.clusterMs === 0 || passedMs > 1000) clock = { atMs, clusterMs, speed: Math.max(0, speed) };
  tick();
}

function tick(): void {
  if (clock.clusterMs === 0) return;
  nowMs.value = clock.clusterMs + (elapsedMs() - clock.atMs) * clock.speed;
}

every(1000, tick);

/** Exchanges the token of the link for a session, or goes on with the one of before. */
export async function exchangeToken(): Promise<void> {
  const token = location.hash.slice(1);
  if (token !== "") {
    // The token is used up; it must not stay in the history.
    history.replaceState(null, "", location.pathname + location.search);
    const { status, text } = await ask(SESSION_PATH, token);
    if (status === 200) keep(KEPT_SESSION, text);
    else loginProblem.value = text;
  }
  await confirmLogin();
}

async function confirmLogin(): Promise<boolean> {
  const session = kept(KEPT_SESSION);
  const { status, text } =
    session === undefined ? { status: 401, text: "" } : await ask(`/s/${session}/session`);
  hasAzure.value = text === LOGGED_IN_WITH_AZURE;
  if (status === 401) login.value = "out";
  else if (status !== 0) login.value = "in";
  return status !== 0 && status !== 401;
}

/** Posts a text below the session of this browser. */
export async function askSession(what: string, body: string): Promise<Answer> {
  const answer = await ask(`/s/${kept(KEPT_SESSION) ?? ""}/${what}`, body);
  if (answer.status === 401) login.value = "out";
  return answer;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Keeps a view equal to the server's, over as many connections as it takes, while the window is visible. */
function follow<H extends object, R extends Row>(
  request: StreamRequest,
  view: Signal<ShownView<H, R>>,
): () => void {
  let close = (): void => undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let isOver = false;
  const open = (): void => {
    const session = kept(KEPT_SESSION) ?? "";
    close = openStream(`/s/${session}/${STREAM}?${streamQuery(request)}`, {
      onOpen: () => {
        isConnected.value = true;
        pauseMs = FIRST_PAUSE_MS;
      },
      onText: (text) => {
        const message = JSON.parse(text) as Message<H, R>;
        setTime(message.nowMs);
        view.value = viewAfter(view.value, message);
      },
      onError: () => {
        isConnected.value = false;
        void again(session);
      },
    });
  };
  const again = async (session: string): Promise<void> => {
    const { status, text } = await ask(`/s/${session}/session?${streamQuery(request)}`);
    if (isOver) return;
    if (status === 401) login.value = "out";
    if (status === 404 || status === 429) view.value = { ...view.value, problem: text };
    close = after(pauseMs, open);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  };
  const onVisibility = (): void => {
    close();
    if (document.visibilityState === "visible") open();
  };
  document.addEventListener("visibilitychange", onVisibility);
  if (document.visibilityState === "visible") open();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}

/** The view of a request, live while the component is shown. */
export function useView<H extends object, R extends Row>(request: StreamRequest): Signal<ShownView<H, R>> {
  const query = streamQuery(request);
  const view = useMemo(() => signal(emptyView<H, R>()), [query]);
  useEffect(() => follow(request, view), [query]);
  return view;
}
