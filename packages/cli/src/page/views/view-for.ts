import type { FleetHead } from "@capstan/page";
import type { Client } from "@capstan/runtime";
import type { LiveView } from "../live/follow-view.ts";
import type { LiveObjects } from "../live/live-objects.ts";
import type { StreamParameters } from "../page-server.ts";
import { fleetView } from "./fleet.ts";

/** What views are made from. */
export interface ViewSources {
  readonly live: LiveObjects;
  readonly now: () => number;
  readonly client: Client;
  readonly flags: string;
  readonly fleetHead: () => FleetHead;
}

/** The view that a browser asks for, or why there is none. */
export function viewFor(parameters: StreamParameters, sources: ViewSources): LiveView | string {
  const { live, now, fleetHead } = sources;
  switch (parameters.view) {
    case "fleet":
      return fleetView({ live, now, head: fleetHead });
    case "cluster":
    case "rollout":
    case "object":
    default:
      return `there is no view ${JSON.stringify(parameters.view)}`;
  }
}
