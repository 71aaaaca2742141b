import { Scheduler, VirtualProcess } from "@capstan/env";
import { type Frozen, type Kind, Pod } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { node, pod } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { drainRound } from "./drain.ts";
import { DaemonSet, type Eviction } from "./kinds.ts";
import { Refusals } from "./refusals.ts";

const { clock } = new VirtualProcess(new Scheduler({ seed: "drain" }), "p");

function podOf(name: string, daemonSet?: string): Pod {
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true };
  const ownerReferences = daemonSet === undefined ? [] : [{ ...owner, uid: daemonSet }];
  return pod({ metadata: { name, uid: name, ownerReferences }, status: { phase: "Running" } });
}

/** A server with one DaemonSet, whose UID is `live`. */
function serverWith(pods: readonly Pod[]) {
  const evicted: string[] = [];
  const lists: string[] = [];
  const client = {
    create: (_kind: unknown, object: Frozen<Eviction>) => {
      evicted.push(object.metadata.name);
      return Promise.resolve(object);
    },
    list: (kind: Kind) => {
      lists.push(kind.kind);
      if (kind.kind === Pod.kind) return Promise.resolve(pods);
      return Promise.resolve(
        kind.kind === DaemonSet.kind ? [{ metadata: { name: "agent", uid: "live" } }] : [],
      );
    },
  } as unknown as Client;
  const round = {
    node: node({ metadata: { name: "n" } }),
    limit: undefined,
    nowMs: 0,
    rules: [],
    refusals: new Refusals(clock),
  };
  return { drain: () => drainRound(client, round), evicted, lists };
}

test("pods of a DaemonSet that no longer exists are evicted, after all others, and those of an existing one stay", async () => {
  const orphaned = [podOf("orphan", "gone"), podOf("agent", "live")];
  const first = serverWith([podOf("web"), ...orphaned]);
  expect((await first.drain()).verdict.isOver).toBe(false);
  expect(first.evicted).toEqual(["web"]);
  const second = serverWith(orphaned);
  expect((await second.drain()).verdict.isOver).toBe(false);
  expect(second.evicted).toEqual(["orphan"]);
  const last = serverWith([podOf("agent", "live")]);
  expect((await last.drain()).verdict.isOver).toBe(true);
  expect(last.evicted).toEqual([]);
});

test("a Node without pods of DaemonSets costs no list of them", async () => {
  const { drain, lists } = serverWith([podOf("web")]);
  await drain();
  expect(lists).toEqual(["Pod"]);
});
