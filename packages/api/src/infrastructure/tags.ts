import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, errorIf, invalid } from "../values/field-error.ts";

/** Azure allows this many on one resource, including ours. */
const MOST_TAGS = 50;
// A scale set has the most: three tags for its owner, its role, pool, model and bootstrap data, and one that identifies
// a write.
const OWN_TAGS = 8;
const LONGEST_NAME = 512;
const LONGEST_VALUE = 256;
const FORBIDDEN = /[<>%&\\?/]/;

type Tags = Readonly<Record<string, string>> | undefined;

/** Reports changed tags that Azure would refuse: an object that CAPZ stored can still be changed. */
export function changedTagErrors(path: string, tags: Tags, old: Tags): readonly FieldError[] {
  return deepEqual(tags, old) ? [] : tagErrors(path, tags);
}

/** Reports tags that Azure would refuse. */
export function tagErrors(path: string, tags: Tags): readonly FieldError[] {
  const entries = Object.entries(tags ?? {});
  return [
    ...errorIf(
      entries.length > MOST_TAGS - OWN_TAGS,
      invalid(
        path,
        entries.length,
        `must be at most ${MOST_TAGS - OWN_TAGS}: Azure allows ${MOST_TAGS}, and Capstan uses ${OWN_TAGS}`,
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
