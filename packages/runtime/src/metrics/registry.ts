/** Label values of one time series, in the order of the metric's label names. */
type LabelValues = readonly string[];

/** A number that only grows. */
export interface Counter {
  add(labels: LabelValues, amount?: number): void;
}

/** A number that goes up and down. */
export interface Gauge {
  set(labels: LabelValues, value: number): void;
}

/** Counts observations in buckets. */
export interface Histogram {
  observe(labels: LabelValues, value: number): void;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  lines(): string[];
}

/** Name, help text and label names of a metric. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The metrics of one process, printed in Prometheus' text format. Nothing is global: tests and worlds have their own. */
export class MetricRegistry {
  readonly #metrics = new Map<string, Metric>();

  counter(options: MetricOptions): Counter {
    const values = this.#values(options, "counter");
    return { add: (labels, amount = 1) => values.change(labels, (before) => before + amount) };
  }

  gauge(options: MetricOptions): Gauge {
    const values = this.#values(options, "gauge");
    return { set: (labels, value) => values.change(labels, () => value) };
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    const series = new Map<string, { labels: LabelValues; counts: number[]; sum: number }>();
    this.#register({
      ...options,
      type: "histogram",
      lines: () => [...series.values()].flatMap((entry) => histogramLines(options, entry)),
    });
    return {
      observe: (labels, value) => {
        const entry = series.get(labels.join("\u0000")) ?? {
          labels,
          counts: options.buckets.map(() => 0).concat(0),
          sum: 0,
        };
        series.set(labels.join("\u0000"), entry);
        const bucket = options.buckets.findIndex((limit) => value <= limit);
        const index = bucket < 0 ? options.buckets.length : bucket;
        entry.counts[index] = (entry.counts[index] ?? 0) + 1;
        entry.sum += value;
      },
    };
  }

  /** The current value of a counter or gauge: for tests and the CLI. */
  value(name: string, labels: Readonly<Record<string, string>>): number {
    const desired = `${name}${labelText(Object.keys(labels), Object.values(labels))} `;
    const line = this.#metrics
      .get(name)
      ?.lines()
      .find((candidate) => candidate.startsWith(desired));
    return line === undefined ? 0 : Number(line.slice(desired.length));
  }

  /** Everything in Prometheus' text exposition format. */
  print(): string {
    const blocks = [...this.#metrics.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((metric) =>
        [
          `# HELP ${metric.name} ${escapedHelp(metric.help)}`,
          `# TYPE ${metric.name} ${metric.type}`,
          ...metric.lines(),
        ].join("\n"),
      );
    return `${blocks.join("\n")}\n`;
  }

  #values(
    options: MetricOptions,
    type: "counter" | "gauge",
  ): { change(labels: LabelValues, next: (before: number) => number): void } {
    const series = new Map<string, { labels: LabelValues; value: number }>();
    this.#register({
      ...options,
      type,
      lines: () =>
        [...series.values()].map(
          (entry) => `${options.name}${labelText(options.labels, entry.labels)} ${entry.value}`,
        ),
    });
    return {
      change: (labels, next) => {
        const key = labels.join("\u0000");
        series.set(key, { labels, value: next(series.get(key)?.value ?? 0) });
      },
    };
  }

  #register(metric: Metric): void {
    if (this.#metrics.has(metric.name)) throw new TypeError(`metric ${metric.name} is registered twice`);
    this.#metrics.set(metric.name, metric);
  }
}

function histogramLines(
  options: MetricOptions & { readonly buckets: readonly number[] },
  entry: { labels: LabelValues; counts: readonly number[]; sum: number },
): string[] {
  const lines: string[] = [];
  let total = 0;
  for (const [index, limit] of [...options.buckets, Infinity].entries()) {
    total += entry.counts[index] ?? 0;
    const le = limit === Infinity ? "+Inf" : String(limit);
    lines.push(
      `${options.name}_bucket${labelText([...options.labels, "le"], [...entry.labels, le])} ${total}`,
    );
  }
  const labels = labelText(options.labels, entry.labels);
  return [...lines, `${options.name}_sum${labels} ${entry.sum}`, `${options.name}_count${labels} ${total}`];
}

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return "";
  const pairs = names.map((name, index) => `${name}="${escaped(values[index] ?? "")}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return escapedHelp(value).replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
