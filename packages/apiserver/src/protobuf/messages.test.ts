import { expect, test } from "vitest";
import { type Message, messageOf, type ValueType } from "./messages.ts";

const KINDS = [
  "v1/Pod",
  "v1/Node",
  "apps/v1/Deployment",
  "apps/v1/StatefulSet",
  "batch/v1/Job",
  "authorization.k8s.io/v1/SubjectAccessReview",
];

function innermost(type: ValueType): ValueType {
  if (type.form === "list") return innermost(type.item);
  return type.form === "map" ? innermost(type.value) : type;
}

/** The depth of a message; a message inside of itself is refused. */
function depth(message: Message, around: readonly Message[] = []): number {
  expect(around).not.toContain(message);
  const inner = [...message.values()].map(({ type }) => {
    const part = innermost(type);
    return part.form === "message" ? depth(part.message(), [...around, message]) : 0;
  });
  return 1 + Math.max(0, ...inner);
}

test.each(KINDS)("%s contains no type inside of itself, which bounds the depth of decoding", (kind) => {
  const slash = kind.lastIndexOf("/");
  const message = messageOf(kind.slice(0, slash), kind.slice(slash + 1));
  expect(message && depth(message)).toBeLessThan(20);
});
