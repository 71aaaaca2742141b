import { type Latencies, RECORDED } from "@capstan/azure-sim";
import type { PublishedUpdates } from "../guests/security-updates.ts";
import type { Problem } from "../scenario/problem.ts";
import { documentsIn, duration, fields, mapOf, mapped, oneOf, type Reading } from "../scenario/reader.ts";
import { percentiles, publishedUpdates } from "../scenario/scenario-world.ts";
import type { DurationModel } from "./fleet.ts";

/** The durations of a file, and the security updates of its world. */
export interface GivenDurations extends Omit<DurationModel, "source"> {
  readonly updates?: PublishedUpdates;
}

/** Durations of a file, or what is wrong with it. */
export type DurationsReading =
  | { readonly durations: GivenDurations }
  | { readonly problems: readonly Problem[] };

const pods = mapped(fields({}, { startup: duration, stop: duration }), ({ startup, stop }) => ({
  ...(startup !== undefined && { startupMs: startup }),
  ...(stop !== undefined && { stopMs: stop }),
}));

const latencies = mapped(mapOf(oneOf(Object.keys(RECORDED)), percentiles), (named): Latencies =>
  Object.fromEntries(named.map(({ name, value }) => [name, value])),
);

const profile = fields({}, { boot: percentiles, updates: publishedUpdates, pods, azure: latencies });

/** Reads how long machines boot, pods take to start and to stop, and operations of Azure take; the rest stays as it is. */
export function readDurations(file: string, text: string): DurationsReading {
  const problems: Problem[] = [];
  const reading: Reading = {
    report: ({ at, field }, message) => void problems.push({ at, field, message }),
    open: () => undefined,
    mention: () => undefined,
  };
  const [document, second] = documentsIn({ file, text }, reading) ?? [];
  if (second) reading.report(second, "there is a second document; durations have one");
  const read = document && profile(document, reading);
  if (!read || problems.length > 0) return { problems };
  const { azure, ...rest } = read;
  return { durations: { ...rest, ...(azure && { latencies: azure }) } };
}
