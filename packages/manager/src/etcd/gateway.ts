import { boundedText, isJsonObject } from "@capstan/api";
import { type Env, type Transport, TransportError } from "@capstan/env";
import { Failure, transient } from "@capstan/runtime";
import type { Etcd, EtcdMember } from "./port.ts";

type Fields = Readonly<Record<string, unknown>>;

// etcd answers a request that needs a quorum it does not have after about 7 s.
const TIMEOUT_MS = 15_000;
// A list of some members has a few kilobytes.
const LARGEST_ANSWER = 256 * 1024;
const MOST_MEMBERS = 64;
const LONGEST_MESSAGE = 300;
const NOT_FOUND = 5;
const UINT64 = /^\d{1,20}$/;

/** Speaks to one member of etcd by its gRPC gateway: JSON over HTTP, with uint64 as decimal texts. */
export function etcdGateway(transport: Transport, { clock }: Pick<Env, "clock">): Etcd {
  const call = (path: string, body: Fields): Promise<Fields> => request({ transport, clock }, path, body);
  return {
    status: async () => {
      const answer = await call("/v3/maintenance/status", {});
      const { member_id: memberId } = fieldsOf(answer["header"]);
      return { memberId: idOf(memberId) ?? "", leader: idOf(answer["leader"]) };
    },
    // Without `linearizable` a member answers from its own, possibly old list, even without a quorum.
    members: async () => membersIn(await call("/v3/cluster/member/list", { linearizable: true })),
    alarms: async () => {
      const { alarms } = await call("/v3/maintenance/alarm", { action: "GET" });
      return new Set(listOf(alarms).flatMap((one) => idOf(fieldsOf(one)["memberID"]) ?? []));
    },
    removeMember: async (id) => {
      try {
        await call("/v3/cluster/member/remove", { ID: id });
      } catch (error) {
        // Removed by an earlier attempt whose answer was lost.
        if (!(error instanceof Failure) || error.failure !== "NotFound") throw error;
      }
    },
    moveLeader: async (id) => {
      await call("/v3/maintenance/transfer-leadership", { targetID: id });
    },
    close: () => transport.close(),
  };
}

async function request(
  { transport, clock }: { readonly transport: Transport } & Pick<Env, "clock">,
  path: string,
  body: Fields,
): Promise<Fields> {
  const ending = new AbortController();
  const timer = clock.timer(TIMEOUT_MS, () => ending.abort(noAnswer()));
  try {
    const response = await transport.request({
      method: "POST",
      path,
      headers: { "content-type": "application/json", "grpc-timeout": `${TIMEOUT_MS / 1000}S` },
      body,
      signal: ending.signal,
      answerBytes: { remaining: LARGEST_ANSWER },
    });
    const answer = fieldsOf(await response.json());
    if (response.status === 200) return answer;
    throw refusal(response.status, answer);
  } catch (error) {
    throw error instanceof TransportError || error instanceof SyntaxError
      ? transient("EtcdUnreachable", `etcd does not answer: ${boundedText(error.message, LONGEST_MESSAGE)}`)
      : error;
  } finally {
    timer.cancel();
  }
}

function noAnswer(): Failure {
  return transient("EtcdUnreachable", `etcd did not answer within ${TIMEOUT_MS / 1000} s`);
}

function refusal(status: number, { code, message }: Fields): Failure {
  const text = typeof message === "string" ? boundedText(message, LONGEST_MESSAGE) : `HTTP ${status}`;
  if (code === NOT_FOUND) return new Failure("NotFound", "EtcdMemberNotFound", { message: text });
  return transient("EtcdRefused", `etcd refuses the request: ${text}`);
}

/** Reads all members or throws: a quorum that is counted without one of them would be wrong. */
function membersIn({ members }: Fields): readonly EtcdMember[] {
  if (!Array.isArray(members) || members.length === 0 || members.length > MOST_MEMBERS)
    throw invalidList(`it must have 1 to ${MOST_MEMBERS} members`);
  const read = members.map((one) => {
    const { ID, name, isLearner } = fieldsOf(one);
    const id = idOf(ID);
    if (id === undefined) throw invalidList("a member has no id");
    // Zero values are absent: an unstarted member has no name, a voter no isLearner.
    return { id, name: typeof name === "string" ? name : "", isLearner: isLearner === true };
  });
  if (new Set(read.map(({ id }) => id)).size < read.length) throw invalidList("two members have one id");
  return read;
}

function invalidList(why: string): Failure {
  return transient("EtcdAnswerInvalid", `the list of members that etcd answered cannot be used: ${why}`);
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && UINT64.test(value) && value !== "0" ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
