import type { ViewName } from "./protocol.ts";

/** The id of the element that the page draws in. */
export const APP_ID = "app";

/** Where the token of a link is exchanged for a session. */
export const SESSION_PATH = "/session";

/** What the server says to a browser that is logged in: whether there is a simulated Azure to show. */
export const LOGGED_IN = "logged in";
export const LOGGED_IN_WITH_AZURE = "logged in, with Azure";

/** The stream of a view, below the path of a session. */
export const STREAM = "stream";

/** Which view a stream shows, and of which object. */
export interface StreamRequest {
  readonly view: ViewName;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A request for a stream as the query of an address. */
export function streamQuery(request: StreamRequest): string {
  return new URLSearchParams(Object.entries(request) as [string, string][]).toString();
}
