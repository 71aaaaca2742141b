/** The part of the status by which Cluster API's contract v1beta2 replaces `status.ready`. */
import { boolean, object, optional } from "../schema/schema.ts";

/** What has been done since an infrastructure object was created. */
export const Initialization = object(
  "What has been done since the object was created.",
  { provisioned: optional(boolean("Whether the infrastructure has been provisioned; it stays true.")) },
  { minProperties: 1 },
);
