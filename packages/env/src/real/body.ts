/** Reads a whole body as UTF-8 text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString("utf8");
}

const NEWLINE = 0x0a;

/**
 * Splits a stream into lines and parses each as JSON. It searches bytes and decodes only whole
 * lines: a multi-byte character cut by a chunk border stays intact, and a line that arrives in
 * many chunks is joined once.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator {
  let unfinished: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      unfinished.push(chunk.subarray(start, end));
      start = end + 1;
      const line = (
        unfinished.length === 1 ? Buffer.from(unfinished[0] as Uint8Array) : Buffer.concat(unfinished)
      ).toString("utf8");
      unfinished = [];
      if (line.trim() !== "") yield JSON.parse(line) as unknown;
    }
    if (start < chunk.length) unfinished.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(unfinished).toString("utf8");
  // A stream cut in mid-line is an interrupted one, not a line: the reader will see its end and resume.
  if (rest.trim() !== "" && isJson(rest)) yield JSON.parse(rest) as unknown;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
