import { describe, expect, test } from "vitest";
import { deployment, NOW_MS, replicaSet } from "./builders.fixture.ts";
import { currentSetName, decideSets, deploymentStatus } from "./deployment.ts";

const rolling = (maxSurge: number | string, maxUnavailable: number | string) =>
  deployment({ replicas: 4, strategy: { rollingUpdate: { maxSurge, maxUnavailable } } });
const current = currentSetName(rolling(1, 0));

const reported = (...args: Parameters<typeof decideSets>): string[] =>
  decideSets(...args).map((action) => {
    if (action.type === "create") return `create ${action.replicas}`;
    const name = action.set.metadata.name === current ? "new" : action.set.metadata.name;
    return action.type === "delete" ? `delete ${name}` : `${name} to ${action.replicas}`;
  });

describe("a Deployment", () => {
  test.each([
    ["starts with all its replicas", rolling(1, 0), [], ["create 4"]],
    ["scales the set it has", rolling(1, 0), [replicaSet(current, 2)], ["new to 4"]],
    ["is content", rolling(1, 0), [replicaSet(current, 4)], []],
    ["surges first where nothing may be missing", rolling(1, 0), [replicaSet("old", 4)], ["create 1"]],
    [
      "waits for a new pod to be available",
      rolling(1, 0),
      [replicaSet("old", 4), replicaSet(current, 1, 0)],
      [],
    ],
    [
      "gives up an old pod for a new one",
      rolling(1, 0),
      [replicaSet("old", 4), replicaSet(current, 1)],
      ["old to 3"],
    ],
    [
      "takes down first where nothing may be added",
      rolling(0, 1),
      [replicaSet("old", 4)],
      ["create 0", "old to 3"],
    ],
    [
      "takes the place of what went",
      rolling(0, 1),
      [replicaSet("old", 3), replicaSet(current, 0)],
      ["new to 1"],
    ],
    [
      "gives up broken pods of the old set first",
      rolling(1, 1),
      [replicaSet("old", 4, 3), replicaSet(current, 0)],
      ["new to 1", "old to 3"],
    ],
    [
      "empties the oldest set first",
      rolling(1, 0),
      [replicaSet("b", 1), replicaSet("a", 1), replicaSet(current, 3)],
      ["a to 0"],
    ],
    [
      "leaves things alone when paused",
      deployment({ replicas: 4, paused: true }),
      [replicaSet("old", 2)],
      [],
    ],
    [
      "takes down everything first to recreate",
      deployment({ replicas: 4, strategy: { type: "Recreate" } }),
      [replicaSet("old", 4)],
      ["old to 0"],
    ],
    [
      "recreates when all is down",
      deployment({ replicas: 4, strategy: { type: "Recreate" } }),
      [replicaSet("old", 0)],
      ["create 4"],
    ],
    [
      "forgets old sets beyond its history",
      deployment({ replicas: 4, revisionHistoryLimit: 1 }),
      [replicaSet("a", 0), replicaSet("b", 0), replicaSet(current, 4)],
      ["delete a"],
    ],
  ])("%s", (_, desired, sets, actions) => {
    expect(reported(desired, sets)).toEqual(actions);
  });

  test("has the same set for the same template, regardless of the order of its fields", () => {
    const { containers } = deployment().spec.template.spec;
    const turned = { spec: { containers }, metadata: { labels: { app: "web" } } };
    expect(currentSetName(deployment({ template: turned }))).toBe(current);
    expect(currentSetName(deployment({ template: { spec: { containers: [] } } }))).not.toBe(current);
  });

  test("reports the progress of a rollout", () => {
    const status = deploymentStatus(rolling(1, 0), [replicaSet("old", 3), replicaSet(current, 2, 1)], NOW_MS);
    expect(status).toMatchObject({
      observedGeneration: 3,
      replicas: 5,
      updatedReplicas: 2,
      availableReplicas: 4,
      unavailableReplicas: 1,
      conditions: [
        { type: "Available", status: "True" },
        { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" },
      ],
    });
  });
});
