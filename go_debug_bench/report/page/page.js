"use strict";

// The page is complete without this script: it adds a filter and buttons that copy.

const filter = document.querySelector(".filter");
const words = filter.querySelector("input");
const outcome = filter.querySelector("select");
const status = filter.querySelector("[role=status]");
const filtered = [...document.querySelectorAll("[data-task]")];
const tasks = filtered.filter((element) => element.matches(".task"));
const empty = document.getElementById("no-match");

function isWanted(element) {
  const text = element.dataset.task.toLowerCase();
  const named = words.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  return named && (!outcome.value || element.dataset.outcomes.split(" ").includes(outcome.value));
}

function apply() {
  for (const element of filtered) element.hidden = !isWanted(element);
  const shown = tasks.filter((element) => !element.hidden).length;
  status.textContent = shown === tasks.length ? "All tasks are shown" : `${shown} of ${tasks.length} tasks are shown`;
  empty.hidden = shown > 0;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

for (const command of document.querySelectorAll(".command")) {
  const button = command.querySelector("button");
  const said = command.querySelector("[role=status]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(command.querySelector("code").textContent);
    button.focus();
    said.textContent = done ? "The command is copied" : "Select the command and copy it by hand";
    button.firstChild.textContent = done ? "Copied" : "By hand";
    setTimeout(() => {
      button.firstChild.textContent = "Copy";
      said.textContent = "";
    }, 2000);
  });
}

filter.hidden = false;
filter.addEventListener("submit", (event) => event.preventDefault());
filter.addEventListener("input", apply);
filter.addEventListener("change", apply); // what fills in forms by program sends no other event
apply();
