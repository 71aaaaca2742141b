import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** The heading of a view, which is the title of the window, too. */
export function ViewTitle({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Capstan`;
  }, [title]);
  return (
    <div class="view-title">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </div>
  );
}

/** Why a view cannot be read now. */
export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      <bdi>{text}</bdi>
    </p>
  );
}
