import { type Static, boolean, object, optional, string } from "../schema/schema.ts";

/** One value in a Secret of the same namespace. */
export const SecretKey = object("One value in a Secret of the same namespace.", {
  name: string("The name of the Secret.", { minLength: 1, maxLength: 253 }),
  key: string("The key within the Secret.", { minLength: 1, maxLength: 256 }),
});

/** One value in a Secret of the same namespace. */
export type SecretKey = Static<typeof SecretKey>;

/** One value in a Secret or ConfigMap of the same namespace, possibly optional, as containers refer to it. */
export const KeySelector = object(
  "One value in an object of the same namespace.",
  {
    name: optional(string("The name of the object.", { default: "" })),
    key: string("The key within the object."),
    optional: optional(boolean("Continue without the value if it is missing.")),
  },
  { atomic: true },
);
