import { type Frozen, Node } from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { isReady } from "../readiness.ts";
import {
  clientOf,
  createToken,
  ENDPOINT,
  JOIN_DATA,
  POOL,
  putPool,
  startStory,
  type Story,
} from "./guests.fixture.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const EAST = "east.example.com:6443";
const EAST_DATA = JOIN_DATA.replace(ENDPOINT, EAST.toUpperCase());
const EAST_POOL = `${POOL}-east`;
const PINNED = "sha256:7c2e69131a36ae2a042a339b33381c6d0d43887e2de83720eff5359e26aec866";

/** A story whose machines may join a second cluster, which exists while the map has it. */
async function startWithEast(): Promise<{
  story: Story;
  others: Map<string, { server: ApiServer; caCertHash?: string }>;
  open: (name: string, caCertHash?: string) => Promise<void>;
  eastNodes: () => Promise<readonly Frozen<Node>[]>;
  steps: string[];
}> {
  const others = new Map<string, { server: ApiServer; caCertHash?: string }>();
  const steps: string[] = [];
  const story = await startStory("1", { others, onStep: (_, label) => steps.push(label) });
  const open = async (name: string, caCertHash?: string): Promise<void> => {
    const server = createApiServer({ env: new VirtualProcess(story.scheduler, name), kinds: builtInKinds });
    others.set(EAST, { server, ...(caCertHash !== undefined && { caCertHash }) });
    await createToken(story, 24 * HOUR_MS, clientOf(story, server, `${name}-user`));
  };
  let looks = 0;
  const eastNodes = (): Promise<readonly Frozen<Node>[]> => {
    const server = others.get(EAST)?.server;
    if (!server) throw new Error("there is no cluster in the east");
    return story.finish(clientOf(story, server, `look-${++looks}`).list(Node));
  };
  return { story, others, open, eastNodes, steps };
}

describe("machines of several clusters", () => {
  test("join the one at their endpoint, also with the same node name", async () => {
    const { story, open, eastNodes } = await startWithEast();
    await open("east");
    await createToken(story, 24 * HOUR_MS);
    await putPool(story, 1);
    await putPool(story, 2, { customData: EAST_DATA, id: EAST_POOL });
    await story.scheduler.advance(HOUR_MS);
    const names = (nodes: readonly Frozen<Node>[]): string[] =>
      nodes.filter(isReady).map(({ metadata }) => metadata.name);
    expect(names(await story.finish(story.client.list(Node)))).toEqual(["pool000000"]);
    expect(names(await eastNodes())).toEqual(["pool000000", "pool000001"]);
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect(names(await story.finish(story.client.list(Node)))).toEqual([]);
    expect(names(await eastNodes())).toEqual(["pool000000", "pool000001"]);
  });

  test("wait for a cluster that does not exist, report that, and join when it appears", async () => {
    const { story, open, eastNodes } = await startWithEast();
    await putPool(story, 1, { customData: EAST_DATA, id: EAST_POOL });
    await story.scheduler.advance(HOUR_MS);
    expect(story.guests.list()).toMatchObject([
      { stage: "joining", failure: { reason: "ApiServerUnreachable" } },
    ]);
    const log = "/var/log/cloud-init-output.log";
    expect(story.azure.core.disk(`${EAST_POOL}/virtualMachines/0`)?.read(log)).toContain(
      "no cluster has this endpoint",
    );
    await open("east");
    await story.scheduler.advance(MINUTE_MS);
    expect((await eastNodes()).map(isReady)).toEqual([true]);
    expect(story.guests.list()[0]?.failure).toBeUndefined();
  });

  test.each([
    ["join a cluster whose authority they pin", PINNED, { stage: "ready" }],
    ["refuse one with another", "sha256:00", { stage: "failed", failure: { reason: "AuthorityNotPinned" } }],
  ])("%s", async (_, caCertHash, expected) => {
    const { story, open } = await startWithEast();
    await open("east", caCertHash);
    await putPool(story, 1, { customData: EAST_DATA, id: EAST_POOL });
    await story.scheduler.advance(HOUR_MS);
    expect(story.guests.list()).toMatchObject([expected]);
  });

  test("send no requests to a deleted cluster, and find another one at its endpoint", async () => {
    const { story, others, open, eastNodes, steps } = await startWithEast();
    await open("east");
    await putPool(story, 1, { customData: EAST_DATA, id: EAST_POOL });
    await story.scheduler.advance(HOUR_MS);
    others.clear();
    await story.scheduler.advance(HOUR_MS);
    steps.length = 0;
    await story.scheduler.advance(24 * HOUR_MS);
    expect(steps.filter((label) => label.startsWith("guests"))).toEqual([]);
    await open("east-2");
    await story.arm("POST", `${EAST_POOL}/reimage`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect((await eastNodes()).map(isReady)).toEqual([true]);
  });
});
