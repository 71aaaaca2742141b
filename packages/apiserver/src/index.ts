/** An embedded Kubernetes API: the semantics of kube-apiserver, in-process, on a store of your choice. */
export { type ApiServer, type ApiServerOptions, createApiServer } from "./api-server.ts";
export type { Status, StatusCause, StatusDetails } from "./http/status.ts";
export type { Admission, AdmissionReview, AdmissionVerdict } from "./registry/admission.ts";
export { createMemoryStorage, type MemoryStorageOptions } from "./storage/memory.ts";
export {
  type Draft,
  ExpiredError,
  type ListQuery,
  type ObjectKey,
  StaleWriteError,
  type Storage,
  type StoredEvent,
  type StoredObject,
  type WatchLine,
} from "./storage/storage.ts";
