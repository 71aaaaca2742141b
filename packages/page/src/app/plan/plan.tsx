import { useRef, useState } from "preact/hooks";
import { LONGEST_MANIFEST, type Picture, PLAN } from "../../picture.ts";
import { isPicture } from "./given-picture.ts";
import { Command, Said, ToneMark } from "../parts.tsx";
import { PictureGroups } from "./picture-groups.tsx";
import { pictureOfFile } from "./report-picture.ts";
import { askSession } from "../stream.ts";
import { Problem, ViewTitle } from "../view-frame.tsx";

// A report of a rehearsal of ten thousand machines has less.
const LONGEST_FILE = 64 * 1024 * 1024;

type State = "empty" | "asking" | { readonly picture: Picture } | { readonly problem: string };

/** Drop or paste manifests to see what they would do; reports of rehearsals and runs of scenarios open here, too. */
export function PlanView() {
  const [state, setState] = useState<State>("empty");
  const show = async (text: string): Promise<void> => {
    setState("asking");
    setState(await answerTo(text));
  };
  return (
    <>
      <ViewTitle title="Plan" />
      <Form isAsking={state === "asking"} show={show} fail={(problem) => setState({ problem })} />
      <div aria-live="polite">
        {state === "asking" && <p class="faint">Planning …</p>}
        {typeof state === "object" && "problem" in state && <Problem text={state.problem} />}
        {typeof state === "object" && "picture" in state && <Shown picture={state.picture} />}
      </div>
    </>
  );
}

/** A report is drawn as it is; the server plans everything else. */
async function answerTo(text: string): Promise<State> {
  const picture = pictureOfFile(text);
  if (picture) return { picture };
  if (new Blob([text]).size > LONGEST_MANIFEST)
    return { problem: "The manifest is larger than 1 MiB: capstan plan in a terminal takes more." };
  const answer = await askSession(PLAN, text);
  if (answer.status !== 200) return { problem: answer.text };
  const planned: unknown = JSON.parse(answer.text);
  return isPicture(planned) ? { picture: planned } : { problem: "the server does not answer with a plan" };
}

interface FormProps {
  readonly isAsking: boolean;
  readonly show: (text: string) => Promise<void>;
  readonly fail: (problem: string) => void;
}

function Form({ isAsking, show, fail }: FormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isOver, setOver] = useState(false);
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > LONGEST_FILE) return fail(`${file.name} is larger than 64 MiB`);
    const text = await file.text();
    // A report would only make the field slow.
    if (field.current) field.current.value = text.length > LONGEST_MANIFEST ? "" : text;
    await show(text);
  };
  return (
    <form
      class={isOver ? "plan-form over" : "plan-form"}
      onSubmit={(event) => {
        event.preventDefault();
        void show(field.current?.value ?? "");
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <label for="manifest">
        Manifests of a change; or drop a file: manifests, a report of <code>capstan rehearse -o json</code>, a
        run of <code>capstan sim run -o json</code>
      </label>
      <textarea
        id="manifest"
        ref={field}
        rows={8}
        spellcheck={false}
        placeholder="Paste whole manifests, as kubectl apply takes them"
      />
      <p>
        <button type="submit" disabled={isAsking}>
          Plan
        </button>
        <input
          type="file"
          aria-label="Open a file"
          accept=".yaml,.yml,.json"
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
        <span class="faint">
          Nothing is applied: the server answers as to a dry run, with your own rights.
        </span>
      </p>
    </form>
  );
}

function Shown({ picture }: { readonly picture: Picture }) {
  const { title, tone, sentence, notes, groups, text, command } = picture;
  return (
    <section class="picture" aria-label={title}>
      <h2>{title}</h2>
      <p class="sentence">
        <ToneMark tone={tone} /> <Said>{sentence}</Said>
      </p>
      {notes.map((note) => (
        <p class="note" key={note}>
          <Said>{note}</Said>
        </p>
      ))}
      <PictureGroups groups={groups} />
      {text !== "" && (
        <details open={groups.length === 0}>
          <summary>In words</summary>
          <pre tabIndex={0}>{text}</pre>
        </details>
      )}
      {command !== "" && (
        <p class="in-terminal">
          In a terminal: <Command text={command} />
        </p>
      )}
    </section>
  );
}
