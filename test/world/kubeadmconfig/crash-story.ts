import { endStateOf, type Rehearsal } from "@capstan/sim";
import {
  answerIn,
  ask,
  controllers,
  createCluster,
  createPool,
  dataIn,
  tokenIn,
  tokensIn,
} from "./bootstrap-world.ts";

/** The result of a run, without the texts and times of tokens. */
interface End {
  readonly state: unknown;
  readonly data: string;
  readonly tokens: number;
  readonly isTokenKnown: boolean;
  readonly answer: string | undefined;
}

/** A pool gets data, its token expires, and fresh data is requested, first for the same and then for another model: run with the crashes of a sweep. */
export function crashStory(seed: string): Rehearsal {
  return {
    world: { seed, controllers },
    story: async (world) => {
      await createCluster(world);
      await createPool(world);
      await world.settle({ quietMs: 60_000 });
      // The same token is extended for the first request, and the second is answered with another one.
      for (const request of ["m1.a.0", "m2.a.0"]) {
        await world.advance(3 * 3_600_000);
        await ask(world, request);
        await world.settle({ quietMs: 60_000 });
      }
    },
    endState: async (world): Promise<End> => {
      const data = await dataIn(world);
      const token = tokenIn(data);
      const tokens = await tokensIn(world);
      return {
        state: JSON.parse(
          JSON.stringify(endStateOf(world)).replaceAll(
            /"capstan\.dev\/bootstrap-expires":"[^"]+"/g,
            '"capstan.dev/bootstrap-expires":"later"',
          ),
        ),
        // A token that starts with a digit is quoted.
        data: data.replace(token, "TOKEN").replace("'TOKEN'", "TOKEN"),
        tokens: tokens.length,
        isTokenKnown: tokens.some(({ metadata }) => metadata.name === `bootstrap-token-${token.slice(0, 6)}`),
        answer: await answerIn(world),
      };
    },
  };
}
