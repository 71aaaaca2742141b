import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["↑ ↓ or k j", "select the row above or below"],
  ["Page Up, Page Down", "ten rows"],
  ["Enter", "open the selected row"],
  ["Esc", "leave the search, close what is open"],
  ["?", "these keys"],
];

/** The keys, in a dialog that Escape closes. */
export function Help({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
