import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { APP_ID } from "../addresses.ts";
import { AzureView } from "./azure.tsx";
import { ClusterView } from "./cluster.tsx";
import { FleetView } from "./fleet.tsx";
import { Help } from "./help.tsx";
import { Link } from "./parts.tsx";
import { PlanView } from "./plan/plan.tsx";
import { azurePath, PLAN_PATH, refine, route } from "./route.ts";
import { RolloutView } from "./rollout.tsx";
import { isTyping } from "./rows.tsx";
import { hasAzure, isConnected, exchangeToken, login, loginProblem, nowMs } from "./stream.ts";
import { clockText, stampText } from "./time.ts";

function App() {
  if (login.value === "asking")
    return (
      <main class="center" aria-busy="true">
        Connecting …
      </main>
    );
  if (login.value === "out") return <LoggedOut />;
  return (
    <>
      <TopBar />
      <main id="view" tabIndex={-1}>
        <View />
      </main>
    </>
  );
}

function View() {
  if (route.value.isPlan) return <PlanView />;
  const { path, request } = route.value;
  switch (request.view) {
    case "rollout":
      return <RolloutView key={path} request={request} />;
    case "azure":
      return <AzureView list={request.name ?? ""} />;
    case "cluster":
      return <ClusterView key={path} request={request} />;
    case "fleet":
    case "object":
      return <FleetView />;
  }
}

function LoggedOut() {
  return (
    <main class="center">
      <h1>Not logged in</h1>
      {loginProblem.value !== "" && <p class="problem">{loginProblem.value}</p>}
      <p>
        Open the link that <code>capstan up</code> has printed, or print a new one with{" "}
        <code>capstan page</code>. Each link is good for one login.
      </p>
    </main>
  );
}

function TopBar() {
  const field = useRef<HTMLInputElement>(null);
  const [isHelpShown, showHelp] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { activeElement } = document;
      if (event.key === "Escape" && activeElement instanceof HTMLElement) activeElement.blur();
      if (isTyping(event)) return;
      if (event.key === "?") showHelp((isShown) => !isShown);
      if (event.key !== "/") return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <header>
      <a class="skip" href="#view" onClick={skip}>
        Skip to the view
      </a>
      <Link to="/" class="brand">
        Capstan
      </Link>
      <Link to={PLAN_PATH}>Plan</Link>
      {hasAzure.value && <Link to={azurePath("resources")}>Azure</Link>}
      <input
        ref={field}
        type="search"
        class="search"
        aria-label="Search (press /)"
        placeholder="Search, press /"
        value={route.value.search}
        onInput={({ currentTarget }) => refine({ q: currentTarget.value })}
      />
      <span class={isConnected.value ? "live" : "live lost"} role="status">
        {isConnected.value ? "Live" : "Connection lost, trying again"}
      </span>
      <time class="faint clock" title={`Time of the cluster: ${stampText(nowMs.value)}`}>
        {nowMs.value > 0 ? clockText(nowMs.value) : ""}
      </time>
      <button type="button" class="help-button" aria-label="Keys" onClick={() => showHelp(true)}>
        ?
      </button>
      {isHelpShown && <Help close={() => showHelp(false)} />}
    </header>
  );
}

/** A fragment would stay in the address, where tokens of links are. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#view")?.focus();
}

void exchangeToken();
const root = document.querySelector(`#${APP_ID}`);
if (root) render(<App />, root);
