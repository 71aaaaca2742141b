import type { Api } from "./kit.ts";

/** One thing that a Kubernetes API server does, whichever server it is. */
export interface Behaviour {
  /** A sentence. */
  readonly name: string;
  readonly run: (api: Api) => Promise<void>;
}

/** States a behaviour. */
export function behaviour(name: string, run: (api: Api) => Promise<void>): Behaviour {
  return { name, run };
}
