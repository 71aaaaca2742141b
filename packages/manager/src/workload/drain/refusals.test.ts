import { Scheduler, VirtualProcess } from "@capstan/env";
import type { Pod } from "@capstan/api";
import { expect, test } from "vitest";
import { Refusals } from "./refusals.ts";

const pod = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
});
function create(): { refusals: Refusals; advance: (ms: number) => Promise<void> } {
  const scheduler = new Scheduler({ seed: "drain" });
  const { clock } = new VirtualProcess(scheduler, "p");
  return { refusals: new Refusals(clock), advance: (ms) => scheduler.advance(ms) };
}
const names = (pods: readonly { metadata: { name: string } }[]): string[] =>
  pods.map(({ metadata }) => metadata.name);

test("a refused pod is not tried before its Retry-After, and others are", async () => {
  const { refusals, advance } = create();
  refusals.note({ pod: pod("a"), why: "busy", retryAfterMs: 10_000 });
  await advance(4_000);
  const early = refusals.sort([pod("a"), pod("b")]);
  expect(names(early.due)).toEqual(["b"]);
  expect(early.held).toMatchObject([{ why: "busy", retryAfterMs: 6_000 }]);
  await advance(6_000);
  expect(names(refusals.sort([pod("a"), pod("b")]).due)).toEqual(["a", "b"]);
});

test("a refusal without a Retry-After delays no pod", () => {
  const { refusals } = create();
  refusals.note({ pod: pod("a"), why: "budget" });
  expect(names(refusals.sort([pod("a")]).due)).toEqual(["a"]);
});

test("expired refusals are dropped at the limit", async () => {
  const { refusals, advance } = create();
  for (let number = 0; number < 3000; number++) {
    refusals.note({ pod: pod(String(number)), why: "busy", retryAfterMs: 1 });
    if (number % 100 === 0) await advance(10);
  }
  expect(refusals.size).toBeLessThan(1200);
});
