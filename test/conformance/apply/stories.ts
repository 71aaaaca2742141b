/** Random stories of several managers that write one object, for two servers to be compared on. */
import fc from "fast-check";

type Fields = Readonly<Record<string, unknown>>;

/** One write: an apply, or a merge patch. */
export interface Move {
  readonly manager: string;
  readonly verb: "apply" | "merge";
  readonly force: boolean;
  readonly subresource: "" | "status";
  readonly body: Fields;
}

const word = fc.constantFrom("a", "b", "c");
const some = { requiredKeys: [] as never[] };
const item = fc.record(
  {
    name: word,
    value: word,
    other: word,
    tags: fc.uniqueArray(word, { maxLength: 2 }),
    sub: fc.uniqueArray(fc.record({ id: fc.nat(2), text: word }, { requiredKeys: ["id"] }), {
      selector: ({ id }) => id,
      maxLength: 2,
    }),
  },
  { requiredKeys: ["name"] },
);
const port = fc.record(
  { port: fc.constantFrom(80, 81), protocol: fc.constantFrom("TCP", "UDP"), name: word },
  { requiredKeys: ["port"] },
);

const spec = fc.record(
  {
    size: fc.nat(2),
    note: word,
    flag: fc.boolean(),
    mode: fc.constantFrom("auto", "manual"),
    ports: fc.uniqueArray(port, { selector: (one) => `${one.port}${one.protocol ?? "TCP"}`, maxLength: 3 }),
    items: fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 3 }),
    set: fc.uniqueArray(word, { maxLength: 3 }),
    numbers: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
    plain: fc.array(word, { maxLength: 2 }),
    atomicList: fc.array(fc.record({ a: word, b: word }, some), { maxLength: 2 }),
    map: fc.dictionary(word, word, { maxKeys: 2 }),
    objects: fc.dictionary(word, fc.record({ x: word, y: word }, some), { maxKeys: 2 }),
    atomicMap: fc.record({ a: word, b: word }, some),
    free: fc.dictionary(word, fc.oneof(word, fc.array(word, { maxLength: 2 }), fc.record({ k: word })), {
      maxKeys: 2,
    }),
    mixed: fc.record({ known: word, unknown: word }, some),
    // No maps: when such a value loses its last entry, this server keeps an owned map and kube-apiserver drops it.
    any: fc.oneof(word, fc.nat(3), fc.array(word, { maxLength: 2 })),
    intOrString: fc.oneof(word, fc.nat(3)),
    defaulted: fc.record({ a: fc.nat(2), b: word, c: word }, some),
    group: fc.record({ a: word, b: word, deep: fc.record({ c: word, d: word }, some) }, some),
  },
  some,
);
const labels = fc.dictionary(word, word, { maxKeys: 2 });
const status = fc.record(
  {
    phase: word,
    conditions: fc.uniqueArray(fc.record({ type: word, status: word, reason: word }), {
      selector: ({ type }) => type,
      maxLength: 2,
    }),
  },
  some,
);

const onMain = fc
  .record({ spec: few(spec, 4), metadata: fc.record({ labels }, some) })
  .map((body) => ({ subresource: "" as const, body }));
const onStatus = fc.record({ status }).map((body) => ({ subresource: "status" as const, body }));

const move: fc.Arbitrary<Move> = fc
  .record({
    manager: fc.constantFrom("m1", "m2", "m3"),
    verb: fc.constantFrom("apply" as const, "apply" as const, "merge" as const),
    force: fc.boolean(),
    place: fc.oneof({ arbitrary: onMain, weight: 4 }, { arbitrary: onStatus, weight: 1 }),
  })
  .map(({ place, ...rest }) => ({ ...rest, ...place }));

/** A story; its first move creates the object. */
export const story: fc.Arbitrary<readonly Move[]> = fc
  .tuple(
    onMain.map((place) => ({ manager: "m1", verb: "apply" as const, force: false, ...place })),
    fc.array(move, { minLength: 2, maxLength: 9 }),
  )
  .map(([first, others]) => [first, ...others]);

/** At most this many fields, so that managers meet often enough and not always. */
function few(fields: fc.Arbitrary<Fields>, count: number): fc.Arbitrary<Fields> {
  return fc.tuple(fields, fc.infiniteStream(fc.nat())).map(([all, order]) => {
    const ranked = Object.entries(all).map((entry) => ({ entry, rank: order.next().value as number }));
    const kept = ranked.sort((a, b) => a.rank - b.rank).slice(0, count);
    return Object.fromEntries(kept.map(({ entry }) => entry));
  });
}
