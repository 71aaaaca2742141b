import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Laboratory, laboratory, type Server } from "./kit.ts";
import { TOPICS } from "./topics.ts";

/** A server that was started for the suite. */
export interface RunningServer extends Server {
  stop(): Promise<void>;
}

const FEWEST = 150;

/** Registers every behaviour as a test against one server. */
export function conformance(name: string, start: () => Promise<RunningServer>): void {
  const count = Object.values(TOPICS).flat().length;
  describe(`${name}: ${count} behaviours`, () => {
    let server: RunningServer;
    let lab: Laboratory;
    beforeAll(async () => {
      server = await start();
      lab = laboratory(server);
    });
    afterAll(async () => {
      await lab.close();
      await server.stop();
    });

    test(`are ${FEWEST} at least, each with a name of its own`, () => {
      const names = Object.values(TOPICS)
        .flat()
        .map((behaviour) => behaviour.name);
      expect(names.length).toBeGreaterThanOrEqual(FEWEST);
      expect(new Set(names).size).toBe(names.length);
    });

    describe.concurrent.each(Object.entries(TOPICS))("%s", (_, behaviours) => {
      test.each(behaviours.map((behaviour) => [behaviour.name, behaviour] as const))(
        "%s",
        async (__, { run }) => {
          const { api, close } = await lab.open();
          try {
            await run(api);
          } finally {
            close();
          }
        },
      );
    });
  });
}
