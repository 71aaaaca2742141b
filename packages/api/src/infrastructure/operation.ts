/** How an Azure operation is remembered, so that a crash at any moment neither loses nor repeats it. */
import { type Static, listOf, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

/** An operation that Azure still works on, in CAPZ's shape: read from objects it left, and shown to its tools. */
export const LongRunningOperationState = object("An operation that Azure still works on.", {
  type: string("The verb: PUT, PATCH, POST or DELETE."),
  resourceGroup: optional(string("The resource group of the resource.")),
  serviceName: string("The part of the controller that started it."),
  name: string("The name of the resource."),
  data: string("What is needed to follow it, in base64."),
});

/** The operations that Azure still works on. */
export const LongRunningOperationStates = listOf(
  "Operations that Azure still works on.",
  LongRunningOperationState,
);

/**
 * The intent of one Azure write. All but the URL is stored before the call and the URL right after it: after a
 * crash, an intent without a URL means "look first", never "write again".
 */
export const Operation = object("The Azure write that is under way; written before the call is made.", {
  verb: oneOf("The verb of the request.", ["PUT", "PATCH", "POST", "DELETE"]),
  resourceID: string("The ARM id of the resource."),
  action: optional(string("The last segment of a POST, such as start or manualupgrade.")),
  instanceIDs: optional(listOf("The instances that a POST is about.", string("An instance id."))),
  hash: optional(string("The hash of the wanted body, also a tag in that body.")),
  etag: optional(string("The etag that the resource must still have.")),
  startedAt: timestamp("When the intent was written."),
  url: optional(string("Where Azure reports progress; absent until Azure has answered.")),
});

/** The intent of one Azure write, and how to follow it. */
export type Operation = Static<typeof Operation>;
