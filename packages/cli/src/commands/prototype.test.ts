import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AzureMachinePool, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubeconfigOf } from "../kubeconfig.fixture.ts";
import { servedManagement } from "../plan/management.fixture.ts";
import { poolObject } from "../plan/planners/pool-objects.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-prototype-"));
const WHY = "the manager runs without the feature gate NodePrototyping";
const nodePrototyping = { interval: "1h" };
const off = { type: "LastOsCache", status: "False", severity: "Warning", reason: "SwitchedOff" } as const;
let management: Awaited<ReturnType<typeof servedManagement>>;

beforeAll(async () => {
  const conditions = [{ ...off, message: WHY, lastTransitionTime: "2026-01-01T11:00:00Z" }];
  const pool = poolObject({ status: { conditions } });
  const image = { computeGallery: { gallery: "g", name: "i", version: "1.33.5" }, nodePrototyping };
  const spec = { ...pool.spec, template: { ...pool.spec.template, image } };
  management = await servedManagement({ ...pool, spec } as AzureMachinePool);
  writeFileSync(join(folder, "config"), kubeconfigOf(management.url));
});
afterAll(async () => {
  await management.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a renewal that no controller would carry out is refused with the reason, and not asked for", async () => {
  const shell = testShell({ workingFolder: folder, variables: { HOME: folder, KUBECONFIG: "config" } });
  expect(await run(["prototype", "now", "pool"], shell)).toBe(1);
  expect(shell.written).toEqual({
    out: "",
    err: `capstan: AzureMachinePool default/pool renews no image: ${WHY}\n`,
  });
  const { metadata } = await management.client.get(AzureMachinePool, { name: "pool", namespace: "default" });
  expect(metadata.annotations?.[PROTOTYPE_NOW_ANNOTATION]).toBeUndefined();
});
