import { type FieldError, errorIf, invalid } from "../values/field-error.ts";

/** Azure takes so many on one resource; ours are among them. */
const MOST_TAGS = 50;
// A scale set has the most: whose it is, for three who ask, its role, pool, model and bootstrap data, and by what a write
// is known again.
const OWN_TAGS = 8;
const LONGEST_NAME = 512;
const LONGEST_VALUE = 256;
const FORBIDDEN = /[<>%&\\?/]/;

/** Says which tags Azure would refuse. */
export function tagErrors(
  path: string,
  tags: Readonly<Record<string, string>> | undefined,
): readonly FieldError[] {
  const entries = Object.entries(tags ?? {});
  return [
    ...errorIf(
      entries.length > MOST_TAGS - OWN_TAGS,
      invalid(
        path,
        entries.length,
        `must be at most ${MOST_TAGS - OWN_TAGS}: Azure takes ${MOST_TAGS}, and ${OWN_TAGS} are ours`,
      ),
    ),
    ...entries.flatMap(([name, value]) => [
      ...errorIf(
        name === "" || name.length > LONGEST_NAME || FORBIDDEN.test(name),
        invalid(
          path,
          name,
          `the name of a tag has 1 to ${LONGEST_NAME} characters, none of them < > % & \\ ? or /`,
        ),
      ),
      ...errorIf(
        value.length > LONGEST_VALUE,
        invalid(
          `${path}[${name}]`,
          value,
          `must have at most ${LONGEST_VALUE} characters, not ${value.length}`,
        ),
      ),
    ]),
  ];
}
