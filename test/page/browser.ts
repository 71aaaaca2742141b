import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; none is downloaded. */
export function chromiumPath(): string | undefined {
  const { CHROMIUM: chosen } = process.env;
  return [...(chosen === undefined ? [] : [chosen]), ...PLACES].find((path) => existsSync(path));
}

/** Where the screenshots of a run are, to be looked at. */
export const SCREENSHOTS = join(tmpdir(), "capstan-page");

/** What went wrong in a page, and where its requests went. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly problems: string[];
  readonly hosts: Set<string>;
}

/** Starts a browser. */
export async function openBrowser(): Promise<Browser> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error("there is no Chromium");
  return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A window that notes errors, broken policies and the hosts that it speaks to. */
export async function openWindow(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  return { page, context, problems, hosts };
}

/** What axe finds, one line each. The policy of the page forbids foreign scripts, so axe comes in beside it. */
export async function accessProblems({ page, context }: Watched): Promise<readonly string[]> {
  const session = await context.newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  await session.send("Runtime.evaluate", { expression: axe.source, contextId });
  const { result } = await session.send("Runtime.evaluate", {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run().then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ": " + nodes.map(({ target, failureSummary }) => target.join(" ") + " " + failureSummary).join("; ")))`,
  });
  await session.detach();
  return result.value as readonly string[];
}

/** How many pixels a page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  // The room that is kept for a scroll bar makes the difference negative.
  return await page.evaluate(
    "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
  );
}
