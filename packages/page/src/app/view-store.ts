import type { Message, Row } from "../protocol.ts";

/** What a browser knows of a view. */
export interface ShownView<H, R extends Row> {
  readonly head: H | undefined;
  readonly rows: ReadonlyMap<string, R>;
  /** Why the server cannot read it now. */
  readonly problem: string | undefined;
}

/** Nothing yet. */
export function emptyView<H, R extends Row>(): ShownView<H, R> {
  return { head: undefined, rows: new Map(), problem: undefined };
}

/** The view after a message. A row that has not changed stays the same object, so that it is not drawn again. */
export function viewAfter<H extends object, R extends Row>(
  before: ShownView<H, R>,
  message: Message<H, R>,
): ShownView<H, R> {
  switch (message.type) {
    case "snapshot":
      return {
        head: message.head,
        rows: new Map(message.rows.map((row) => [row.key, row])),
        problem: undefined,
      };
    case "change":
      return { head: message.head ?? before.head, rows: rowsAfter(before.rows, message), problem: undefined };
    case "problem":
      return { ...(message.isFirst ? emptyView<H, R>() : before), problem: message.text };
    case "time":
      return before;
  }
}

function rowsAfter<R extends Row>(
  before: ReadonlyMap<string, R>,
  { rows, gone }: { readonly rows: readonly R[]; readonly gone: readonly string[] },
): ReadonlyMap<string, R> {
  if (rows.length + gone.length === 0) return before;
  const next = new Map(before);
  for (const key of gone) next.delete(key);
  for (const row of rows) next.set(row.key, row);
  return next;
}
