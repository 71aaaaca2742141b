import { type Env, type ListeningServer, serveHttp, type Transport } from "@capstan/env";
import type { FleetHead } from "@capstan/page";
import { type Client, createLogger } from "@capstan/runtime";
import { portProblem } from "../port-problem.ts";
import { prettyLines } from "../render/pretty-log.ts";
import type { Terminal } from "../shell.ts";
import type { KeptPage } from "./kept-page.ts";
import { OpenedObjects } from "./opened-objects.ts";
import { BODY_LIMIT_BYTES, PageServer } from "./page-server.ts";
import { planPicture, type PlanPlace } from "./plan/picture-of-plan.ts";
import { Sessions } from "./sessions.ts";
import type { AzureSource } from "./views/azure.ts";
import { viewFor } from "./views/view-for.ts";

/** Whose objects the page shows, and where. */
export interface PagePlace {
  /** The machine's environment: browsers do not live on a simulated clock. */
  readonly env: Env;
  /** The time of the cluster. */
  readonly now: () => number;
  /** A client with the user's own credential. */
  readonly client: Client;
  /** The connection of the client. */
  readonly transport: Transport;
  /** The data directory of `capstan up`, if the cluster is one of its own. */
  readonly home: string | undefined;
  /** The namespace of `-n`. */
  readonly chosen: string | undefined;
  /** The namespace of the context. */
  readonly fallback: string;
  readonly port: number;
  readonly portFlag: string;
  readonly log: Terminal;
  /** The words that select the same cluster in the commands that the page shows, such as `--data-dir x`. */
  readonly flags: string;
  /** The simulated Azure, where this process has one. */
  readonly azure?: AzureSource | undefined;
  /** What outlives the process; nothing unless given. */
  readonly kept?: KeptPage;
}

/** A page that is served. */
export interface ServedPage {
  /** The address with a token that is good for one login. */
  readonly link: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The page of a place, and what ends it. */
export interface Page {
  readonly server: PageServer;
  readonly sessions: Sessions;
  /** Asks again what the user may see; done twice a minute. */
  confirmRights(): Promise<void>;
  close(): void;
}

/** The page without a socket. Objects are read from the first login on, so a page that is not opened costs nothing. */
export function createPage(place: Omit<PagePlace, "port" | "portFlag">): Page {
  const { env, now, client, flags, kept } = place;
  const sessions = new Sessions(env, kept);
  // The views show what fails; the log has only what should never happen.
  const log = createLogger(env, "error", prettyLines(place.log));
  const opened = new OpenedObjects(place, log);
  const server = new PageServer({
    env,
    sessions,
    now,
    hasAzure: place.azure !== undefined,
    plan: (manifest) => planPicture({ env }, manifest, planPlaceOf(place)),
    files: async () => (await import("./build-app.ts")).buildApp(),
    live: () => opened.live(),
    viewFor: (live, parameters) => {
      const { scope, lanes, memories } = opened;
      const fleetHead = (): FleetHead => ({ scope: scope?.text ?? "", notes: live.problems() });
      return viewFor(parameters, {
        live,
        now,
        client,
        flags,
        memories,
        lanes,
        fleetHead,
        azure: place.azure,
      });
    },
  });
  return { server, sessions, confirmRights: () => opened.confirmRights(), close: () => opened.close() };
}

/** Serves the page on 127.0.0.1. */
export async function servePage(place: PagePlace): Promise<ServedPage> {
  const { kept } = place;
  const page = createPage(place);
  const listening = await listen(page, place);
  kept?.keepPort(listening.port);
  return {
    link: `http://127.0.0.1:${listening.port}/#${page.sessions.newToken()}`,
    port: listening.port,
    close: async () => {
      page.close();
      await listening.close();
    },
  };
}

function planPlaceOf({
  client,
  transport,
  home,
  chosen,
  fallback,
  flags,
  now,
}: Omit<PagePlace, "port" | "portFlag">): PlanPlace {
  const namespace = chosen ?? fallback;
  return { client, transport, home, flags, namespace, isWritten: chosen !== undefined, nowMs: now() };
}

/** On the chosen port, else on that of before if it is free: windows that are open find the page again. */
async function listen({ server }: Page, { port, portFlag, kept }: PagePlace): Promise<ListeningServer> {
  const on = async (tried: number): Promise<ListeningServer> => {
    const listening: ListeningServer = await serveHttp((request) => server.handle(request, listening.port), {
      port: tried,
      bodyLimitBytes: BODY_LIMIT_BYTES,
    });
    return listening;
  };
  if (port === 0 && kept?.port !== undefined) {
    try {
      return await on(kept.port);
    } catch {
      // Another program has it now; any other port will do.
    }
  }
  try {
    return await on(port);
  } catch (error) {
    throw portProblem(error, port, portFlag);
  }
}
