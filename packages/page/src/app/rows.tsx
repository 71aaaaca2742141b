import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Row } from "../protocol.ts";
import { refine, route } from "./route.ts";

interface RowsProps<R extends Row> {
  readonly label: string;
  readonly class: string;
  readonly heads: readonly string[];
  readonly rows: readonly R[];
  /** The least height of a row in pixels; narrow windows have higher rows, which are measured. */
  readonly height: number;
  readonly draw: (row: R) => ComponentChildren;
}

// Rows outside of the window that are drawn, so that scrolling shows no gap.
const OVERSCAN = 12;

/** A table of any length: only the rows in the window exist. Arrows move the selection, Enter follows its link. */
export function Rows<R extends Row>({ label, class: name, heads, rows, height, draw }: RowsProps<R>) {
  const body = useRef<HTMLDivElement>(null);
  const [, redraw] = useState({});
  const virtual = useMemo(
    () =>
      new Virtualizer<Window, HTMLElement>({
        count: rows.length,
        getScrollElement: () => window,
        estimateSize: () => height,
        overscan: OVERSCAN,
        observeElementRect: observeWindowRect,
        observeElementOffset: observeWindowOffset,
        scrollToFn: windowScroll,
        initialRect: { width: innerWidth, height: innerHeight },
      }),
    [],
  );
  // Another function makes the virtualizer measure all rows again.
  const keyAt = useMemo(() => (index: number) => rows[index]?.key ?? index, [rows]);
  virtual.setOptions({
    ...virtual.options,
    count: rows.length,
    getItemKey: keyAt,
    scrollMargin: body.current?.offsetTop ?? 0,
    onChange: () => redraw({}),
  });
  useEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  const { selected } = route.value;
  const at = rows.findIndex(({ key }) => key === selected);
  useSelection({ rows, virtual });
  return (
    <div class={`rows ${name}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div class="row heads" role="row" aria-rowindex={1}>
        {heads.map((head) => (
          <span role="columnheader" key={head}>
            {head}
          </span>
        ))}
      </div>
      <div ref={body} class="body" role="rowgroup" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div
              key={key}
              ref={(element) => virtual.measureElement(element)}
              data-index={index}
              class={`row ${index === at ? "selected" : ""}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === at}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              {draw(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Selection<R extends Row> {
  readonly rows: readonly R[];
  readonly virtual: Virtualizer<Window, HTMLElement>;
}

/** Moves the selection by keys, wherever the focus is, but in a field. */
function useSelection<R extends Row>(selection: Selection<R>): void {
  // Keys may come faster than the page is drawn: each acts on the newest rows and on the selection in the address.
  const newest = useRef(selection);
  newest.current = selection;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { rows, virtual } = newest.current;
      const step = STEPS[event.key];
      if (step === undefined || isTyping(event) || rows.length === 0) return;
      event.preventDefault();
      const { selected } = route.value;
      const at = rows.findIndex(({ key }) => key === selected);
      const next = Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + step));
      refine({ on: rows[next]?.key ?? "" });
      virtual.scrollToIndex(next, { align: "auto" });
    };
    const onEnter = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || event.target !== document.body) return;
      document.querySelector<HTMLAnchorElement>(".row.selected .row-link")?.click();
    };
    addEventListener("keydown", onKey);
    addEventListener("keydown", onEnter);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("keydown", onEnter);
    };
  }, []);
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  j: 1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
};

/** Whether a key is for a field. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (
    ctrlKey ||
    metaKey ||
    altKey ||
    (target instanceof HTMLElement && target.matches("input, textarea, select"))
  );
}
