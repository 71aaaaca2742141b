import { type Frozen, Node } from "@capstan/api";
import { createMemoryStore, type Store } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import {
  createToken,
  killAndStartAgain,
  MACHINE,
  POOL,
  putMachine,
  putPool,
  startStory,
  type Story,
} from "./guests.fixture.ts";

const HOUR_MS = 3_600_000;
const FILE = "/etc/from-command";

interface Kind {
  readonly machine: string;
  readonly put: (story: Story) => Promise<void>;
}

const INSTANCE: Kind = { machine: `${POOL}/virtualMachines/0`, put: (story) => putPool(story, 1) };
const KINDS: readonly [string, Kind][] = [
  ["an instance of a scale set", INSTANCE],
  ["a virtual machine", { machine: MACHINE, put: putMachine }],
];

async function nodeOf({ client, finish }: Story): Promise<Frozen<Node> | undefined> {
  const [node] = await finish(client.list(Node));
  return node;
}

async function bootOf(story: Story): Promise<string | undefined> {
  return (await nodeOf(story))?.status?.nodeInfo?.bootID;
}

async function readinessOf(story: Story): Promise<string | undefined> {
  return (await nodeOf(story))?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** A cloud in which one machine is a Ready node. */
async function withNode(store: Store, { put }: Kind): Promise<Story> {
  const story = await startStory("1", { store });
  await createToken(story, 1000 * HOUR_MS);
  await put(story);
  await story.scheduler.advance(HOUR_MS);
  return story;
}

/** Moments from the request until long after the guest has booted. */
const MOMENTS = [0, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90, 120, 180].map((seconds) => seconds * 1000);

/** Sends an action to a machine in its usual state, and kills cloud and guests after each of the moments. */
async function killAt(kind: Kind, act: (story: Story) => Promise<void>): Promise<readonly Ended[]> {
  const store = createMemoryStore();
  let story = await withNode(store, kind);
  const ended: Ended[] = [];
  for (const afterMs of MOMENTS) {
    const before = await bootOf(story);
    await act(story);
    await story.scheduler.advance(afterMs);
    story = await killAndStartAgain(story, store);
    await story.scheduler.advance(HOUR_MS);
    const after = await bootOf(story);
    ended.push({ readiness: await readinessOf(story), isNewBoot: after !== before });
    if (story.azure.core.machine(kind.machine)?.power === "running") continue;
    await story.arm("POST", `${kind.machine}/start`);
    await story.scheduler.advance(HOUR_MS);
  }
  return ended;
}

interface Ended {
  readonly readiness: string | undefined;
  readonly isNewBoot: boolean;
}

/** Stops a machine, and requests its start when it is stopped. */
async function stopAndStart(story: Story, machine: string): Promise<void> {
  await story.arm("POST", `${machine}/poweroff`);
  await story.scheduler.advance(HOUR_MS);
  await story.arm("POST", `${machine}/start`);
}

test.each(KINDS)("%s that starts while its cloud is killed boots again", async (_, kind) => {
  const ended = await killAt(kind, (story) => stopAndStart(story, kind.machine));
  expect(ended).toEqual(MOMENTS.map(() => ({ readiness: "True", isNewBoot: true })));
});

test.each(KINDS)("%s that restarts while its cloud is killed boots again", async (_, kind) => {
  const ended = await killAt(kind, (story) => story.arm("POST", `${kind.machine}/restart`));
  expect(ended).toEqual(MOMENTS.map(() => ({ readiness: "True", isNewBoot: true })));
});

test.each(
  KINDS.flatMap(([name, kind]) => ["poweroff", "deallocate"].map((verb) => [name, verb, kind] as const)),
)("%s that is stopped by %s while its cloud is killed is silent, and can start", async (_, verb, kind) => {
  const ended = await killAt(kind, (story) => story.arm("POST", `${kind.machine}/${verb}`));
  expect(ended).toEqual(MOMENTS.map(() => ({ readiness: "Unknown", isNewBoot: false })));
});

test("a machine that is re-imaged while its cloud is killed joins again", async () => {
  const ended = await killAt(INSTANCE, (story) => story.arm("POST", `${INSTANCE.machine}/reimage`));
  expect(ended).toEqual(MOMENTS.map(() => ({ readiness: "True", isNewBoot: true })));
});

test.each(KINDS)("%s that is created while its cloud is killed becomes a node", async (_, kind) => {
  for (const afterMs of MOMENTS) {
    const store = createMemoryStore();
    const story = await startStory("1", { store });
    await createToken(story, 1000 * HOUR_MS);
    await kind.put(story);
    await story.scheduler.advance(afterMs);
    const again = await killAndStartAgain(story, store);
    await again.scheduler.advance(HOUR_MS);
    expect(await readinessOf(again)).toBe("True");
  }
});

test.each(KINDS)("a script that %s runs while its cloud is killed has its effect", async (_, kind) => {
  const store = createMemoryStore();
  let story = await withNode(store, kind);
  for (const afterMs of [0, 10_000, 30_000]) {
    const text = `written after ${afterMs}`;
    const script = `cat > ${FILE} <<'END'\n${text}\nEND\n`;
    await story.arm("PUT", `${kind.machine}/runCommands/write`, {
      location: "westus2",
      properties: { source: { script } },
    });
    await story.scheduler.advance(afterMs);
    story = await killAndStartAgain(story, store);
    await story.scheduler.advance(HOUR_MS);
    expect(story.azure.core.disk(kind.machine)?.read(FILE)).toBe(`${text}\n`);
  }
});
