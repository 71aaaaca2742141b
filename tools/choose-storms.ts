/**
 * Chooses the storms of the gate from what storms have reached, and prints their seeds:
 *
 *   CAPSTAN_PROOFS=all CAPSTAN_REACHED=/tmp/reached.jsonl npx vitest run --project deep storm.deep storm-too swarm
 *   node tools/choose-storms.ts /tmp/reached.jsonl
 *
 * It writes test/world/azuremachinepool/sampled-seeds.ts and test/world/fleet/sampled-seeds.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { MUST_BE_REACHED as FLEET_STATES } from "../test/world/fleet/must-reach.ts";
import { MUST_BE_REACHED as POOL_STATES } from "../test/world/azuremachinepool/must-reach.ts";
import { chooseSeeds, type Storm } from "./storm-seeds.ts";

/** A file of storms: it must reach every state by itself. */
interface StormFile {
  readonly storms: string;
  readonly states: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const FILES: readonly StormFile[] = [
  { storms: "azuremachinepool", states: POOL_STATES, from: 2001, to: 3000, count: 38 },
  { storms: "azuremachinepool", states: POOL_STATES, from: 3001, to: 4000, count: 37 },
  { storms: "fleet", states: FLEET_STATES, from: 1001, to: 1080, count: 30 },
];

const [path = ""] = process.argv.slice(2);
const records = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Storm & { readonly storms: string });

const chosen = Map.groupBy(FILES, ({ storms }) => storms);
for (const [storms, files] of chosen) {
  const seeds = files.flatMap(({ states, from, to, count }) => {
    const candidates = records.filter(
      (record) => record.storms === storms && record.seed >= from && record.seed <= to,
    );
    return chooseSeeds(candidates, states, count);
  });
  writeFileSync(`test/world/${storms}/sampled-seeds.ts`, moduleOf(seeds));
  console.log(`${storms}: ${seeds.length} seeds`);
}

function moduleOf(seeds: readonly number[]): string {
  return [
    "/** The storms of the gate. tools/choose-storms.ts chose them: each state that must be reached, by three storms of a file. */",
    `export const SAMPLED_SEEDS: readonly number[] = [${seeds.join(", ")}];`,
    "",
  ].join("\n");
}
