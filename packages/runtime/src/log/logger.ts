import type { Env } from "@capstan/env";
import { pino } from "pino";
import { redacted } from "./sensitive.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Values that go with a line. Secrets in them are redacted by their type. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes structured lines for engineers; users get conditions and events. A message is constant, starts with a capital
 * and has no full stop; variable parts are fields.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each of its lines. */
  with(fields: LogFields): Logger;
}

/** The destination of lines: a line is one JSON object with its newline. */
export interface LogDestination {
  write(line: string): void;
}

/** Creates a logger whose timestamps come from the environment's clock. */
export function createLogger(env: Env, level: LogLevel, destination: LogDestination): Logger {
  const root = pino(
    {
      level,
      base: null,
      messageKey: "msg",
      timestamp: () => `,"ts":"${new Date(env.clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    forgiving(destination),
  );
  return wrap(root);
}

/** A failed write, as on a full disk, must not stop the process; there is no other place to report it. */
function forgiving(destination: LogDestination): LogDestination {
  return {
    write: (line) => {
      try {
        destination.write(line);
      } catch {
        // The next line is tried again.
      }
    },
  };
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};

function wrap(sink: pino.Logger): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (sink.isLevelEnabled(level)) sink[level](redacted(fields) as object, message);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => wrap(sink.child(redacted(fields) as object)),
  };
}
