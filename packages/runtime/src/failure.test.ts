import { describe, expect, test } from "vitest";
import {
  Failure,
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
  terminal,
  transient,
  waiting,
} from "./failure.ts";

describe("failures", () => {
  test("carry class, reason, message, cause and retry time", () => {
    const cause = new Error("socket closed");
    expect(waiting("Building", "Azure builds it", 5000)).toMatchObject({
      failure: "Waiting",
      reason: "Building",
      message: "Azure builds it",
      retryAfterMs: 5000,
    });
    expect(transient("Busy", "Try later", { cause, retryAfterMs: 7 })).toMatchObject({
      failure: "Transient",
      cause,
      retryAfterMs: 7,
      outcomeUnknown: false,
    });
    expect(terminal("NoSuchImage", "Choose another")).toMatchObject({
      failure: "Terminal",
      retryAfterMs: undefined,
    });
    expect(String(terminal("NoSuchImage", "Choose another"))).toBe("Failure: Choose another");
  });

  const failures = {
    notFound: new Failure("NotFound", "NotFound", { message: "gone" }),
    conflict: new Failure("Conflict", "Conflict", { message: "changed" }),
    exists: new Failure("Conflict", "AlreadyExists", { message: "there" }),
    expired: transient("Expired", "too old"),
    lookalike: Object.assign(new Error("x"), { failure: "NotFound", reason: "Expired" }),
    nothing: undefined,
  };

  test.each([
    [isNotFound, ["notFound"]],
    [isConflict, ["conflict", "exists"]],
    [isAlreadyExists, ["exists"]],
    [isExpired, ["expired"]],
  ] as const)("are recognized by class and reason, never by the message", (isOne, desired) => {
    const found = Object.entries(failures).flatMap(([name, failure]) => (isOne(failure) ? [name] : []));
    expect(found).toEqual(desired);
  });
});
