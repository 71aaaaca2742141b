import { describe, expect, test } from "vitest";
import { MetricRegistry } from "./registry.ts";

const labels = ["controller", "result"];

describe("metrics in Prometheus' text format", () => {
  test("have a help and a type line, and one line for each series, by name", () => {
    const registry = new MetricRegistry();
    const passes = registry.counter({ name: "passes_total", help: "Passes.", labels });
    const depth = registry.gauge({ name: "depth", help: "Keys that wait.", labels: [] });
    passes.add(["boats", "success"]);
    passes.add(["boats", "success"], 2);
    passes.add(["boats", "error"]);
    depth.set([], 7);
    depth.set([], 4);
    expect(registry.print()).toBe(
      [
        "# HELP depth Keys that wait.",
        "# TYPE depth gauge",
        "depth 4",
        "# HELP passes_total Passes.",
        "# TYPE passes_total counter",
        'passes_total{controller="boats",result="success"} 3',
        'passes_total{controller="boats",result="error"} 1',
        "",
      ].join("\n"),
    );
  });

  test("escape backslashes, quotes and line ends in labels, each once", () => {
    const registry = new MetricRegistry();
    registry.counter({ name: "x", help: "X.", labels: ["path"] }).add(['C:\\dir "a"\nb']);
    expect(registry.print()).toContain('x{path="C:\\\\dir \\"a\\"\\nb"} 1\n');
  });

  test("escape backslashes and line ends in the help", () => {
    const registry = new MetricRegistry();
    registry.gauge({ name: "x", help: "One\\two\nthree.", labels: [] });
    expect(registry.print()).toContain("# HELP x One\\\\two\\nthree.\n");
  });

  test("distinguish series whose labels are the same when joined", () => {
    const registry = new MetricRegistry();
    const counter = registry.counter({ name: "x", help: "X.", labels: ["a", "b"] });
    counter.add(["1", "23"]);
    counter.add(["12", "3"]);
    expect(registry.print().match(/^x\{/gm)).toHaveLength(2);
  });

  test("have cumulative histogram buckets with inclusive limits", () => {
    const registry = new MetricRegistry();
    const times = registry.histogram({ name: "t", help: "T.", labels: ["c"], buckets: [0.1, 1, 10] });
    for (const value of [0.05, 0.1, 0.5, 10, 11, 1000]) times.observe(["a"], value);
    times.observe(["b"], 2);
    expect(registry.print().split("\n").slice(2, -1)).toEqual([
      't_bucket{c="a",le="0.1"} 2',
      't_bucket{c="a",le="1"} 3',
      't_bucket{c="a",le="10"} 4',
      't_bucket{c="a",le="+Inf"} 6',
      't_sum{c="a"} 1021.65',
      't_count{c="a"} 6',
      't_bucket{c="b",le="0.1"} 0',
      't_bucket{c="b",le="1"} 0',
      't_bucket{c="b",le="10"} 1',
      't_bucket{c="b",le="+Inf"} 1',
      't_sum{c="b"} 2',
      't_count{c="b"} 1',
    ]);
  });

  test("can be read one by one, with 0 as the default", () => {
    const registry = new MetricRegistry();
    const passes = registry.counter({ name: "passes_total", help: "Passes.", labels });
    passes.add(["boats", "success"], 5);
    expect(registry.value("passes_total", { controller: "boats", result: "success" })).toBe(5);
    expect(registry.value("passes_total", { controller: "boats", result: "error" })).toBe(0);
    expect(registry.value("never_registered", {})).toBe(0);
  });

  test("refuse a name that is taken", () => {
    const registry = new MetricRegistry();
    registry.gauge({ name: "x", help: "X.", labels: [] });
    expect(() => registry.counter({ name: "x", help: "X.", labels: [] })).toThrow(
      "metric x is registered twice",
    );
  });
});
