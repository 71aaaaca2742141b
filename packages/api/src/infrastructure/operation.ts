/** How an Azure operation is recorded, so that a crash at any time neither loses nor repeats it. */
import { type Static, listOf, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

/** A running Azure operation, in CAPZ's form: read from objects that CAPZ left, and shown to its tools. */
export const LongRunningOperationState = object("A running Azure operation.", {
  type: string("The verb: PUT, PATCH, POST or DELETE."),
  resourceGroup: optional(string("The resource group of the resource.")),
  serviceName: string("The part of the controller that started it."),
  name: string("The name of the resource."),
  data: string("The data needed to resume polling, in base64."),
});

/** A running Azure operation in CAPZ's form. */
export type LongRunningOperationState = Static<typeof LongRunningOperationState>;

/** The running Azure operations. */
export const LongRunningOperationStates = listOf("Running Azure operations.", LongRunningOperationState);

/**
 * The intent of one Azure write. All but the URL is stored before the call and the URL right after it: after a crash,
 * an intent without a URL means "read first", never "write again".
 */
export const Operation = object("The running Azure write; recorded before the call.", {
  verb: oneOf("The verb of the request.", ["PUT", "PATCH", "POST", "DELETE"]),
  resourceID: string("The ARM id of the resource."),
  action: optional(string("The last segment of a POST, such as start or manualupgrade.")),
  instanceIDs: optional(listOf("The instances of a POST.", string("An instance id."))),
  hash: optional(string("The hash of the desired body, also a tag in that body.")),
  etag: optional(string("The etag that the resource must still have.")),
  startedAt: timestamp("When the intent was written."),
  url: optional(string("Where Azure reports progress; absent until Azure has answered.")),
});

/** The intent of one Azure write, and how to poll it. */
export type Operation = Static<typeof Operation>;

/** The tag with the hash of the last write of a resource of Azure. */
export const HASH_TAG = "capstan_wanted-hash";
