import { MetricRegistry } from "@capstan/runtime";
import { expect, test } from "vitest";
import { Meter } from "./meter.ts";

test("calls are counted by operation, controller and outcome", () => {
  const metrics = new MetricRegistry();
  const meter = new Meter(metrics);
  meter.count("PUT a", "pool", "ok");
  meter.count("GET a", "pool", "ok");
  meter.count("GET a", "pool", "ok");
  meter.count("GET a", "machine", "held");
  expect(meter.counts()).toEqual([
    { operation: "GET a", controller: "machine", outcome: "held", calls: 1 },
    { operation: "GET a", controller: "pool", outcome: "ok", calls: 2 },
    { operation: "PUT a", controller: "pool", outcome: "ok", calls: 1 },
  ]);
  expect(meter.sent).toBe(3);
  expect(metrics.print()).toContain(
    'capstan_azure_calls_total{operation="GET a",controller="pool",outcome="ok"} 2',
  );
});
