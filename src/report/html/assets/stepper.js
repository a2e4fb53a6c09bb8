/**
 * Goes through a run step by step: what has not happened yet is pale, tables and
 * source show the moment.  Everything is in the page already; this only chooses.
 */

/** Elements that belong to steps, by number. */
function stepsOf(run) {
  return [...run.querySelectorAll("li.step")];
}

function showState(run, now) {
  let shown = null;
  for (const state of run.querySelectorAll(".state")) {
    state.classList.remove("shown");
    if (Number(state.dataset.from) <= now) shown = state;
  }
  if (shown) shown.classList.add("shown");
}

/** Marks, of every lane, the line of its last step. */
function showSource(run, steps, now) {
  for (const line of run.querySelectorAll(".listing .l")) {
    line.className = line.classList.contains("used") ? "l used" : "l";
  }
  const last = new Map();
  for (const step of steps.slice(0, now + 1)) {
    if (step.dataset.line) last.set(step.dataset.lane, step);
  }
  for (const [lane, step] of last) {
    for (const listing of run.querySelectorAll(".listing")) {
      if (listing.dataset.file !== step.dataset.file) continue;
      const line = listing.querySelector(`[data-line="${step.dataset.line}"]`);
      if (!line) continue;
      line.classList.add("at", `lane${Number(lane) % 6}`);
      if (step === steps[now]) {
        listing.scrollTop = line.offsetTop - listing.offsetTop - listing.clientHeight / 2;
      }
    }
  }
}

function showArrows(run, now) {
  for (const part of run.querySelectorAll(".arrow, .head")) {
    const when = Math.max(Number(part.dataset.from), Number(part.dataset.to));
    part.classList.toggle("future", when > now);
  }
}

/** Shows the run up to step `now`, from 0. */
export function goTo(run, now) {
  const steps = stepsOf(run);
  const at = Math.min(Math.max(now, 0), steps.length - 1);
  run.classList.add("stepping");
  run.dataset.now = String(at);
  steps.forEach((step, i) => {
    step.classList.toggle("future", i > at);
    step.classList.toggle("now", i === at);
    if (i === at) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  });
  showState(run, at);
  showSource(run, steps, at);
  showArrows(run, at);
  run.querySelector(".where").textContent = `step ${at + 1} of ${steps.length}`;
  return steps[at];
}

/** How far down the tables reach that stay above a run while it is stepped. */
function covered(step) {
  const own = step.getBoundingClientRect();
  const above = [...step.closest(".run").querySelectorAll(".side, .states")]
    .filter((part) => getComputedStyle(part).position === "sticky")
    .map((part) => part.getBoundingClientRect())
    .filter((box) => box.left < own.right && own.left < box.right);
  return Math.max(0, ...above.map((box) => box.bottom));
}

/** Keeps the step in view without jumping about. */
function reveal(step) {
  const box = step.getBoundingClientRect();
  if (box.top < Math.max(60, covered(step)) || box.bottom > window.innerHeight - 20) {
    step.scrollIntoView({ block: "center" });
  }
}

function move(run, how) {
  const count = stepsOf(run).length;
  const now = run.dataset.now === undefined ? null : Number(run.dataset.now);
  const next = {
    first: 0,
    last: count - 1,
    on: now === null ? 0 : now + 1,
    back: now === null ? count - 1 : now - 1,
  }[how];
  reveal(goTo(run, next));
}

const KEYS = {
  ArrowRight: "on",
  ArrowDown: "on",
  ArrowLeft: "back",
  ArrowUp: "back",
  Home: "first",
  End: "last",
};

/** Shows, of a long file, where the run is. */
function scrollToUsed(run) {
  for (const listing of run.querySelectorAll(".listing")) {
    const line = listing.querySelector(".used");
    if (line) listing.scrollTop = line.offsetTop - listing.offsetTop - 40;
  }
}

export function startSteppers() {
  for (const run of document.querySelectorAll(".run")) {
    scrollToUsed(run);
    run.addEventListener("click", (event) => {
      const button = event.target.closest("[data-go]");
      const step = event.target.closest("li.step");
      if (button) move(run, button.dataset.go);
      else if (step && !event.target.closest("summary")) {
        goTo(run, Number(step.dataset.step));
      }
    });
    run.addEventListener("keydown", (event) => {
      const how = KEYS[event.key];
      if (!how || event.target.closest("input, .listing")) return;
      event.preventDefault();
      move(run, how);
    });
  }
}

/** An address can name a step: #f-lost-update-1-s3. */
export function followAddress() {
  const step = document.getElementById(location.hash.slice(1));
  if (step && step.matches("li.step")) {
    goTo(step.closest(".run"), Number(step.dataset.step));
  }
}
