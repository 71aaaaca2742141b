import type { Invariant } from "../invariant.ts";
import type { EtcdClusters } from "../../etcd/etcd-clusters.ts";

const REMOVE = "/v3/cluster/member/remove";

/** Controllers change the members of etcd one by one: two at once could cost the quorum. */
export const oneMemberAtATime: Invariant = {
  name: "one-member-at-a-time",
  says: "no two members of an etcd cluster join at once, and none is removed while another joins",
  watch: ({ etcd }) => {
    const isChanged = changesOf(etcd);
    return {
      happened: () => {
        if (!isChanged()) return undefined;
        for (const [endpoint, cluster] of etcd.all()) {
          const joining = (cluster.membership()?.members ?? []).filter(({ isLearner }) => isLearner);
          if (joining.length > 1) return `${joining.length} members join etcd at ${endpoint}`;
        }
        return undefined;
      },
      called: ({ name }) => {
        if (name !== REMOVE) return undefined;
        for (const [endpoint, cluster] of etcd.all()) {
          const members = cluster.membership()?.members ?? [];
          // A member that joins and is lost must be removable; a running one must not lose a companion.
          const joining = members.filter(({ isLearner, id }) => isLearner && cluster.isMemberRunning(id));
          if (joining.length > 0) return `a member of etcd at ${endpoint} is removed while another joins`;
        }
        return undefined;
      },
    };
  },
};

/** A quorum may be lost by failures, but never by what a controller does. */
export const quorumIsKept: Invariant = {
  name: "quorum-is-kept",
  says: "an etcd cluster that has a quorum before a controller removes a member has one after it",
  watch: ({ etcd }) => {
    let had = new Set<string>();
    const withQuorum = (): Set<string> =>
      new Set([...etcd.all()].flatMap(([endpoint, cluster]) => (cluster.hasQuorum() ? [endpoint] : [])));
    return {
      called: ({ name }) => {
        if (name === REMOVE) had = withQuorum();
        return undefined;
      },
      answered: ({ name }, { status }) => {
        if (name !== REMOVE || status !== 200) return undefined;
        const has = withQuorum();
        const lost = [...had].find((endpoint) => !has.has(endpoint));
        return lost === undefined ? undefined : `etcd at ${lost} lost its quorum when a member was removed`;
      },
    };
  },
};

/** Returns whether something has changed since the last call: reading the members of all clusters costs time. */
function changesOf(etcd: EtcdClusters): () => boolean {
  let isChanged = false;
  etcd.onChange(() => void (isChanged = true));
  return () => {
    const was = isChanged;
    isChanged = false;
    return was;
  };
}
