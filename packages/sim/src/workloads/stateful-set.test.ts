import { describe, expect, test } from "vitest";
import { pod, type PodFacts, statefulSet } from "./builders.fixture.ts";
import { decideOrdinals, revisionOf } from "./stateful-set.ts";

const labels = { "controller-revision-hash": revisionOf(statefulSet()) };
const db = (ordinal: number, facts: PodFacts = {}) => pod(`db-${ordinal}`, { labels, ...facts });
const old = (ordinal: number) => db(ordinal, { labels: {} });

const reported = (...args: Parameters<typeof decideOrdinals>): string[] =>
  decideOrdinals(...args).map((action) =>
    action.type === "delete" ? `-${action.pod.metadata.name}` : `+${action.name}`,
  );

describe("a StatefulSet", () => {
  test.each([
    ["starts with the first", { replicas: 3 }, [], ["+db-0"]],
    ["waits for the one before", { replicas: 3 }, [db(0, { ready: false })], []],
    ["goes on when it is ready", { replicas: 3 }, [db(0)], ["+db-1"]],
    ["fills a gap", { replicas: 3 }, [db(0), db(2)], ["+db-1"]],
    ["waits for a name to be free", { replicas: 2 }, [db(0), db(1, { deleting: true })], []],
    ["gives up the highest", { replicas: 1 }, [db(0), db(1), db(10), db(2)], ["-db-10"]],
    ["gives up one at a time", { replicas: 1 }, [db(0), db(1), db(2, { deleting: true })], []],
    ["updates from the highest down", { replicas: 3 }, [old(0), old(1), db(2)], ["-db-1"]],
    ["updates one at a time", { replicas: 3 }, [old(0), db(1, { ready: false }), db(2)], []],
    ["leaves updates to the user", { replicas: 1, updateStrategy: { type: "OnDelete" } }, [old(0)], []],
    [
      "does all at once in parallel",
      { replicas: 2, podManagementPolicy: "Parallel" },
      [db(0, { ready: false }), db(5)],
      ["+db-1", "-db-5"],
    ],
  ] as const)("%s", (_, spec, pods, actions) => {
    expect(reported(statefulSet(spec), pods)).toEqual(actions);
  });
});
