import type { LogDestination } from "@capstan/runtime";

/** Turns JSON log lines into readable ones: time, level, message and fields. */
export function prettyLines(out: { write(text: string): void }): LogDestination {
  return { write: (line) => out.write(pretty(line)) };
}

function pretty(line: string): string {
  const { ts, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const time = String(ts).slice(11, 19);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${[time, String(level).toUpperCase().padEnd(5), String(msg), ...rest].join(" ")}\n`;
}
