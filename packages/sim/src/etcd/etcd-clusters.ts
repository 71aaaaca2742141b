import { EtcdCluster } from "./etcd-cluster.ts";

/** The etcd clusters of all simulated control planes, by the endpoint of their API servers. */
export class EtcdClusters {
  readonly #byEndpoint = new Map<string, EtcdCluster>();
  readonly #listeners = new Set<(endpoint: string) => void>();

  /** The etcd cluster at an endpoint: host and port in lower case. Created on the first call. */
  at(endpoint: string): EtcdCluster {
    const known = this.#byEndpoint.get(endpoint);
    if (known) return known;
    const made = new EtcdCluster(() => {
      for (const listener of this.#listeners) listener(endpoint);
    });
    this.#byEndpoint.set(endpoint, made);
    return made;
  }

  /** All etcd clusters with their endpoints. */
  all(): Iterable<readonly [string, EtcdCluster]> {
    return this.#byEndpoint;
  }

  /** Calls the listener when members or machines at an endpoint have changed. */
  onChange(listener: (endpoint: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
