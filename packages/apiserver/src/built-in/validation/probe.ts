import { type FieldProblem, forbiddenValue, invalidValue, requiredValue } from "../../schema/problem.ts";
import { type Fields, numberIn, textIn } from "../fields.ts";
import { choiceProblems, negativeProblems, portOrNameProblems, portProblems, presence } from "./checks.ts";

const COUNTS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
];

/** Validates the probes of a container. */
export function probeProblems(at: string, container: Fields): FieldProblem[] {
  return ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) => {
    const probe = container[name] as Fields | undefined;
    if (!probe) return [];
    const field = `${at}.${name}`;
    const successes = numberIn(probe, "successThreshold");
    return [
      ...handlerProblems(field, probe),
      ...negativeProblems(field, probe, COUNTS),
      ...graceProblems(field, probe),
      // One success proves that a container has started or is alive, so other thresholds are not allowed.
      ...(name === "readinessProbe" || successes === 1
        ? []
        : [invalidValue(`${field}.successThreshold`, successes, "must be 1")]),
    ];
  });
}

function graceProblems(field: string, { terminationGracePeriodSeconds: seconds }: Fields): FieldProblem[] {
  if (seconds === undefined || Number(seconds) > 0) return [];
  return [invalidValue(`${field}.terminationGracePeriodSeconds`, seconds, "must be greater than 0")];
}

const HANDLERS: Readonly<Record<string, (at: string, handler: Fields) => FieldProblem[]>> = {
  exec: (at, { command }) => presence(`${at}.command`, command),
  httpGet: (at, handler) => [
    ...presence(`${at}.path`, handler["path"]),
    ...portOrNameProblems(`${at}.port`, handler["port"]),
    ...choiceProblems(`${at}.scheme`, textIn(handler, "scheme"), ["HTTP", "HTTPS"]),
  ],
  tcpSocket: (at, { port }) => portOrNameProblems(`${at}.port`, port),
  grpc: (at, handler) => portProblems(`${at}.port`, numberIn(handler, "port")),
  sleep: () => [],
};

/** Validates the handler of a probe or of a lifecycle hook. */
export function handlerProblems(at: string, handlers: Fields): FieldProblem[] {
  const given = Object.keys(HANDLERS).filter((name) => handlers[name] !== undefined);
  if (given.length === 0) return [requiredValue(at, "must specify a handler type")];
  return given.flatMap((name, index) =>
    index === 0
      ? (HANDLERS[name]?.(`${at}.${name}`, handlers[name] as Fields) ?? [])
      : [forbiddenValue(`${at}.${name}`, "may not specify more than 1 handler type")],
  );
}
