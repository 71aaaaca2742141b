import type { FleetHead } from "@capstan/page";
import type { Client } from "@capstan/runtime";
import type { LiveView } from "../live/follow-view.ts";
import type { LiveObjects } from "../live/live-objects.ts";
import type { StreamParameters } from "../page-server.ts";
import { azureList, type AzureSource, azureView } from "./azure.ts";
import { fleetView } from "./fleet.ts";

/** What views are made from. */
export interface ViewSources {
  readonly live: LiveObjects;
  readonly now: () => number;
  readonly client: Client;
  readonly flags: string;
  readonly fleetHead: () => FleetHead;
  /** The simulated Azure of `capstan up`. */
  readonly azure?: AzureSource | undefined;
}

/** The view that a browser asks for, or why there is none. */
export function viewFor(parameters: StreamParameters, sources: ViewSources): LiveView | string {
  const { live, now, fleetHead, azure, flags } = sources;
  switch (parameters.view) {
    case "fleet":
      return fleetView({ live, now, head: fleetHead });
    case "azure": {
      const list = azureList(parameters.name);
      if (!list) return `Azure has no list ${JSON.stringify(parameters.name)}`;
      return azure
        ? azureView({ azure, list, flags })
        : "this page shows no Azure; that of capstan up shows the simulated one";
    }
    case "cluster":
    case "rollout":
    case "object":
    default:
      return `there is no view ${JSON.stringify(parameters.view)}`;
  }
}
