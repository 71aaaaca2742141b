import type { Env } from "@capstan/env";
import { createLogger, type LogFields, type Logger, type LogLevel } from "@capstan/runtime";

/** A logger that also passes each line, as the product writes it, to the invariants. */
export function overheard(
  log: Logger,
  env: Env,
  listener: { readonly logged: (line: string) => void },
): Logger {
  return both(log, createLogger(env, "debug", { write: (line) => listener.logged(line) }));
}

function both(one: Logger, other: Logger): Logger {
  const write =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      one[level](message, fields);
      other[level](message, fields);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => both(one.with(fields), other.with(fields)),
  };
}
