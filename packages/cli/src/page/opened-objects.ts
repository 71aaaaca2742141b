import type { Env } from "@capstan/env";
import { type Client, Failure, type Logger } from "@capstan/runtime";
import { LaneHistory } from "./lanes/lane-history.ts";
import { isLaneMachine } from "./lanes/segments.ts";
import { LIVE_KINDS, LiveObjects } from "./live/live-objects.ts";
import { rightsOf, type Scope, scopeOf } from "./live/scope.ts";
import { RolloutMemories } from "./views/rollout-memory.ts";

interface Place {
  readonly client: Client;
  readonly env: Env;
  readonly now: () => number;
  readonly chosen: string | undefined;
  readonly fallback: string;
}

/** Lists that take longer are shown when they come. */
const FIRST_LISTS_MS = 10_000;
// A watch that has begun goes on for minutes without the right to it, and its objects stay known.
const RIGHTS_MS = 30_000;

/** The objects that the user of the page may see, once for all browsers. */
export class OpenedObjects {
  readonly #place: Place;
  readonly #log: Logger;
  #opening: Promise<LiveObjects> | undefined;
  #live: LiveObjects | undefined;
  #rights = "";
  /** What machines went through, since the objects were opened. */
  lanes = new LaneHistory();
  memories = new RolloutMemories();
  scope: Scope | undefined;

  constructor(place: Place, log: Logger) {
    this.#place = place;
    this.#log = log;
  }

  /** After a failure the next request tries again. */
  live(): Promise<LiveObjects> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Forgets everything that was seen when the user has other rights than before; streams end, and browsers open new ones. */
  async confirmRights(): Promise<void> {
    const live = this.#live;
    if (!live) return;
    const rights = await this.#askRights();
    if (rights === undefined || rights === this.#rights || live !== this.#live) return;
    this.close();
  }

  close(): void {
    this.#live?.close();
    this.#live = undefined;
    this.#opening = undefined;
  }

  async #open(): Promise<LiveObjects> {
    const { client, env, now, chosen, fallback } = this.#place;
    const scope = await scopeOf(client, { chosen, fallback });
    this.#rights = await rightsOf(client, scope, LIVE_KINDS);
    const live = new LiveObjects({ client, env, log: this.#log, namespaces: scope.namespaces });
    const lanes = new LaneHistory();
    this.scope = scope;
    this.lanes = lanes;
    this.memories = new RolloutMemories();
    this.#live = live;
    live.onChange(({ object, isGone }) => {
      if (!isLaneMachine(object)) return;
      if (isGone) lanes.noteGone(object, now());
      else lanes.note(object, now());
    });
    await live.start(FIRST_LISTS_MS, env);
    void this.#confirmAgain(live);
    return live;
  }

  async #confirmAgain({ ended }: LiveObjects): Promise<void> {
    const { clock } = this.#place.env;
    while (!ended.aborted) {
      try {
        await clock.sleep(RIGHTS_MS, ended);
        await this.confirmRights();
      } catch (error) {
        if (!ended.aborted) this.#log.error("Asking for rights failed", { error });
      }
    }
  }

  /** Undefined if the server cannot tell now, which takes no right away; a credential that it refuses has none. */
  async #askRights(): Promise<string | undefined> {
    const { client, chosen, fallback } = this.#place;
    try {
      return await rightsOf(client, await scopeOf(client, { chosen, fallback }), LIVE_KINDS);
    } catch (error) {
      const isRefused = error instanceof Failure && REFUSED.has(error.reason);
      return isRefused ? "" : undefined;
    }
  }
}

const REFUSED: ReadonlySet<string> = new Set(["Unauthorized", "Forbidden"]);
