/** An embedded Kubernetes API: the semantics of kube-apiserver, in-process, on a storage of your choice. */
export { type ApiServer, type ApiServerOptions, createApiServer } from "./api-server.ts";
export { PodDisruptionBudget } from "./built-in/disruption-budget.ts";
export { builtInKinds } from "./built-in/kinds.ts";
export {
  type ClusterOptions,
  type Clusters,
  type ClustersOptions,
  type LogicalCluster,
  openClusters,
  type Served,
} from "./clusters/clusters.ts";
export { keptServing } from "./clusters/credentials.ts";
export type { PodBackends } from "./http/port-forward.ts";
export type { ServiceBackends } from "./http/service-proxy.ts";
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
export {
  createAuthority,
  type Credential,
  type Holder,
  issueCertificate,
  isValidFor,
} from "./security/certificates.ts";
export type { User } from "./security/attributes.ts";
export type { Authentication } from "./security/guard.ts";
export { type DurableStorage, openSqliteStorage, type SqliteStorageOptions } from "./storage/sqlite.ts";
