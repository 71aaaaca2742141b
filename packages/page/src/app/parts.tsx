import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Tone } from "../protocol.ts";
import { after, copy } from "./browser.ts";
import { onLink } from "./route.ts";
import { nowMs } from "./stream.ts";
import { durationText, stampText } from "./time.ts";

const TONES: Readonly<Record<Tone, string>> = {
  good: "As desired",
  waiting: "On its way",
  bad: "Needs you",
  unknown: "Not known",
};

/** How something stands, by form and colour, and in words for screen readers. */
export function ToneMark({ tone }: { readonly tone: Tone }) {
  return (
    <span class={`tone ${tone}`} role="img" aria-label={TONES[tone]} title={TONES[tone]}>
      {tone === "bad" ? "!" : ""}
    </span>
  );
}

/** A time as an age, with the whole time when it is pointed at. */
export function Age({ sinceMs }: { readonly sinceMs: number | undefined }) {
  if (sinceMs === undefined || !Number.isFinite(sinceMs)) return <span class="faint">–</span>;
  return (
    <time dateTime={stampText(sinceMs)} title={stampText(sinceMs)}>
      {durationText(nowMs.value - sinceMs)}
    </time>
  );
}

/** A link to another view. */
export function Link({
  to,
  children,
  class: name,
}: {
  to: string;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <a href={to} class={name} onClick={onLink}>
      {children}
    </a>
  );
}

/** A command to be copied. */
export function Command({ text }: { readonly text: string }) {
  const [said, say] = useState("");
  const onClick = (): void => {
    void copy(text).then((isCopied) => {
      say(isCopied ? "Copied" : "Select it and copy");
      after(2000, () => say(""));
    });
  };
  return (
    <span class="command">
      <code tabIndex={0}>{text}</code>
      <button type="button" onClick={onClick} aria-label={`Copy: ${text}`}>
        {said === "" ? "Copy" : said}
      </button>
      <span class="sr" role="status">
        {said}
      </span>
    </span>
  );
}

/** A text that came from a cluster: its direction does not change what is around it. */
export function Said({ children }: { readonly children: string }) {
  return <bdi>{children}</bdi>;
}
