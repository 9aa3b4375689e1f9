"use strict";

// Completions are hostile input: they reach the page as text nodes only.

const SHOWN = 200;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function switchRuns() {
  const buttons = [...document.querySelectorAll(".runs button")];
  const choose = (chosen) => {
    for (const button of buttons) {
      const on = button === chosen;
      button.setAttribute("aria-pressed", String(on));
      document.getElementById(button.dataset.run).hidden = !on;
    }
  };
  for (const button of buttons) button.addEventListener("click", () => choose(button));
  if (buttons.length) choose(buttons[0]);
}

async function unpack(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function fill(select, all, values) {
  for (const value of [all, ...values]) {
    const option = element("option", value);
    option.value = value === all ? "" : value;
    select.append(option);
  }
}

function pane(title, text, wide) {
  const made = element("section", undefined, wide ? "pane wide" : "pane");
  made.append(element("h3", title), element("pre", text === null || text === "" ? "(nothing)" : text));
  return made;
}

function folded(title, text) {
  const made = element("details", undefined, "pane wide");
  made.append(element("summary", title), element("pre", text));
  return made;
}

// The theory panel keeps the state in which the reader left it from one transcript to the next.
const panel = { open: false, whole: false, pictures: null };

function statedTheory(row, data) {
  const found = data.theories[row.id];
  if (!found) return null;
  const [source, first, end] = found;
  return (source === "prompt" ? data.prompts : data.references)[row.id].split("\n").slice(first, end).join("\n");
}

function theoryPanel(row, text) {
  const made = element("details", undefined, "pane wide theory");
  const place = element("div", undefined, "picture");
  const size = element("button", "");
  size.type = "button";
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "picture of the theory");
  const fit = () => {
    place.classList.toggle("fit", panel.whole);
    size.textContent = panel.whole ? "Full size" : "Fit to width";
  };
  const draw = async () => {
    panel.pictures ??= unpack("pictures-data");
    const source = (await panel.pictures)[row.id];
    if (source === undefined) place.replaceChildren(element("p", "Too large to draw.", "note"));
    else if (!place.firstChild) {
      place.append(document.importNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement, true));
    }
    made.dataset.drawn = "yes";
  };
  size.addEventListener("click", () => { panel.whole = !panel.whole; fit(); });
  made.addEventListener("toggle", () => { panel.open = made.open; if (made.open) draw(); });
  const words = element("details");
  words.append(element("summary", "Directives"), element("pre", text));
  made.append(element("summary", "Theory"), size, place, words);
  fit();
  made.open = panel.open;
  return made;
}

function facts(row, data) {
  const said = [
    `${data.runs[row.run]}`, `sample ${row.sample}`, `native ${row.native.toFixed(3)}`, `floor ${row.floor.toFixed(3)}`,
    `reason ${row.reason ?? "none"}`, `finish ${row.finish ?? "none"}`,
  ];
  for (const [name, count] of Object.entries(row.usage)) said.push(`${name.replace("_", " ")} ${count}`);
  if (row.attempts > 1) said.push(`${row.attempts} attempts`);
  return said.join(" · ");
}

function show(row, data, place) {
  const head = element("div", undefined, "pane wide");
  const tag = element("span", row.outcome.replaceAll("_", " "), "tag");
  tag.style.color = `var(--${row.outcome})`;
  head.append(element("h3", row.id), tag, element("p", facts(row, data), "note"));
  const parts = [head];
  if (row.failure) parts.push(pane("API error", row.failure, true));
  const theory = statedTheory(row, data);
  if (theory !== null) parts.push(theoryPanel(row, theory));
  parts.push(pane("Prompt", data.prompts[row.id]), pane("Completion", row.text));
  if (row.reasoning) parts.push(folded("Thinking", row.reasoning));
  parts.push(pane("Reference", data.references[row.id]), pane("Parsed answer", row.parsed));
  parts.push(pane("Score detail", row.detail, true), folded("Request", row.request));
  place.replaceChildren(...parts);
}

function browse(data) {
  const place = document.getElementById("transcript");
  const list = document.getElementById("transcript-list");
  const count = document.getElementById("transcript-count");
  const search = document.getElementById("filter-text");
  const selects = {};
  for (const [name, all] of [["run", "all runs"], ["task", "all tasks"], ["level", "all levels"], ["outcome", "all outcomes"]]) {
    selects[name] = document.getElementById(`filter-${name}`);
    const value = (row) => (name === "run" ? data.runs[row.run] : String(row[name]));
    fill(selects[name], all, [...new Set(data.rows.map(value))]);
    selects[name].parentElement.hidden = selects[name].options.length < 3;
  }
  let most = SHOWN;
  const matches = (row) =>
    (!selects.run.value || data.runs[row.run] === selects.run.value) &&
    (!selects.task.value || row.task === selects.task.value) &&
    (!selects.level.value || String(row.level) === selects.level.value) &&
    (!selects.outcome.value || row.outcome === selects.outcome.value) &&
    (!search.value || `${row.id}\n${row.text ?? ""}`.includes(search.value));
  const draw = () => {
    const found = data.rows.filter(matches);
    count.textContent = `${found.length} of ${data.rows.length}`;
    const entries = found.slice(0, most).map((row) => {
      const button = element("button", row.id);
      const run = data.runs.length > 1 ? ` · ${data.runs[row.run]}` : "";
      button.append(element("small", `${row.outcome.replaceAll("_", " ")} · native ${row.native.toFixed(2)}${run}`));
      button.addEventListener("click", () => {
        for (const other of list.children) other.setAttribute("aria-pressed", String(other === button));
        show(row, data, place);
      });
      return button;
    });
    if (found.length > most) {
      const more = element("button", `show ${Math.min(SHOWN, found.length - most)} more`);
      more.addEventListener("click", () => { most += SHOWN; draw(); });
      entries.push(more);
    }
    list.replaceChildren(...entries);
    if (found.length) entries[0].click();
    else place.replaceChildren(element("p", "No transcript passes these filters.", "note"));
  };
  const restart = () => { most = SHOWN; draw(); };
  for (const select of Object.values(selects)) select.addEventListener("change", restart);
  search.addEventListener("input", restart);
  draw();
}

switchRuns();
unpack("transcripts-data").then(browse).catch((error) => {
  document.getElementById("transcript").replaceChildren(element("p", `The transcripts cannot be read: ${error}`));
}).finally(() => { document.documentElement.dataset.ready = "yes"; });
