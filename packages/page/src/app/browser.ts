/** All that the page takes from the browser: its clock, its sockets, its storage and its address. Tests of parts need none of it. */

/** Milliseconds since the page was loaded. */
export function elapsedMs(): number {
  return performance.now();
}

/** Calls a function again and again; the returned one ends that. */
export function every(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs);
  return () => clearInterval(timer);
}

/** Calls a function once. */
export function after(delayMs: number, call: () => void): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

/** Opens a stream of messages. */
export function openStream(
  path: string,
  { onText, onOpen, onError }: { onText: (text: string) => void; onOpen: () => void; onError: () => void },
): () => void {
  const source = new EventSource(path);
  source.addEventListener("message", ({ data }: MessageEvent<string>) => onText(data));
  source.addEventListener("open", onOpen);
  source.addEventListener("error", () => {
    // The caller opens a new one: it must ask first whether it is still logged in.
    source.close();
    onError();
  });
  return () => source.close();
}

/** An answer of the server. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks the server; a server that cannot be reached has the status 0. */
export async function ask(path: string, body?: string): Promise<Answer> {
  try {
    const response = await fetch(path, {
      credentials: "same-origin",
      ...(body !== undefined && { method: "POST", body, headers: { "content-type": "text/plain" } }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: "the server cannot be reached" };
  }
}

/** A value that this page has kept in this browser. */
export function kept(name: string): string | undefined {
  return localStorage.getItem(name) ?? undefined;
}

/** Keeps a value. */
export function keep(name: string, value: string): void {
  localStorage.setItem(name, value);
}

/** Copies a text, and says whether that was possible. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
