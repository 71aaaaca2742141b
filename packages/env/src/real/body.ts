import { type ByteBudget, TransportError } from "../transport.ts";

/** How a body is read. */
export interface BodyReading {
  /** Translates an error of a broken stream into ours. */
  readonly translate: (error: unknown) => Error;
  readonly budget: ByteBudget;
}

/** Reads a whole body as UTF-8 text. An error in the loop closes the connection, so nothing is read after it. */
export async function readText(chunks: AsyncIterable<Buffer>, reading: BodyReading): Promise<string> {
  const { translate, budget } = reading;
  const parts: Buffer[] = [];
  try {
    for await (const chunk of chunks) {
      if (chunk.length > budget.remaining) throw oversized("answer");
      budget.remaining -= chunk.length;
      parts.push(chunk);
    }
  } catch (error) {
    throw translate(error);
  }
  return Buffer.concat(parts).toString("utf8");
}

const NEWLINE = 0x0a;

/**
 * Splits a stream into lines and parses each as JSON. It searches bytes and decodes only whole lines: a multi-byte
 * character that two chunks share stays intact, and a line that arrives in many chunks is joined once. Every event of
 * every watch passes here, so it copies nothing twice.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  { translate, budget }: BodyReading,
): AsyncGenerator {
  const unfinished: Buffer[] = [];
  let unfinishedBytes = 0;
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (
      let next = await nextChunk(iterator, translate);
      !next.done;
      next = await nextChunk(iterator, translate)
    ) {
      for (const line of takeLines(unfinished, next.value)) yield JSON.parse(line) as unknown;
      const isContinued = unfinished.length > 1;
      unfinishedBytes = (isContinued ? unfinishedBytes : 0) + (unfinished.at(-1)?.length ?? 0);
      if (unfinishedBytes > budget.remaining) throw translate(oversized("line of a stream"));
    }
  } finally {
    await iterator.return?.();
  }
  const rest = Buffer.concat(unfinished).toString("utf8");
  // A stream that ends in the middle of a line was interrupted: the reader detects its end and resumes.
  if (rest.trim() !== "" && isJson(rest)) yield JSON.parse(rest) as unknown;
}

function oversized(what: string): TransportError {
  return new TransportError("oversized", `the server sent more bytes in one ${what} than are read`);
}

/** The lines that the chunk completes; the rest stays in `unfinished`. */
function takeLines(unfinished: Buffer[], chunk: Buffer): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    const line = lineOf(unfinished.splice(0), chunk, { start, end });
    if (line.trim() !== "") lines.push(line);
    start = end + 1;
  }
  if (start < chunk.length) unfinished.push(chunk.subarray(start));
  return lines;
}

/** Translates errors of the stream only, and not those that the consumer of the lines throws. */
async function nextChunk(
  iterator: AsyncIterator<Buffer>,
  translate: BodyReading["translate"],
): Promise<IteratorResult<Buffer, unknown>> {
  try {
    return await iterator.next();
  } catch (error) {
    throw translate(error);
  }
}

function lineOf(unfinished: Buffer[], chunk: Buffer, { start, end }: { start: number; end: number }): string {
  if (unfinished.length === 0) return chunk.toString("utf8", start, end);
  return Buffer.concat([...unfinished, chunk.subarray(start, end)]).toString("utf8");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
