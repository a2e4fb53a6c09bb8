/**
 * What people think of findings: marks and notes, kept in the file itself by
 * "save as"; `txscope --baseline FILE` reads them back.
 */

function known() {
  return JSON.parse(document.getElementById("txscope-findings").textContent);
}

function keep(all) {
  const text = JSON.stringify(all).replace(/[<>&]/g, (c) => {
    return "\\u00" + c.charCodeAt(0).toString(16);
  });
  document.getElementById("txscope-findings").textContent = text;
}

/** Into the data, and into the attributes, which is what is saved. */
function note(form) {
  const all = known();
  const select = form.elements.namedItem("mark");
  const input = form.elements.namedItem("note");
  for (const finding of all.findings) {
    if (finding.id !== form.dataset.finding) continue;
    finding.mark = select.value;
    finding.note = input.value;
  }
  for (const option of select.options) {
    option.toggleAttribute("selected", option.selected);
  }
  input.setAttribute("value", input.value);
  const suppressed = select.value === "accepted" || select.value === "false";
  form.closest(".finding").classList.toggle("suppressed", suppressed);
  keep(all);
}

/** The page as it was written, without what the script has put there. */
export function savedPage() {
  const copy = document.documentElement.cloneNode(true);
  copy.classList.remove("scripted");
  if (copy.classList.length === 0) copy.removeAttribute("class");
  for (const run of copy.querySelectorAll(".run")) {
    run.classList.remove("stepping");
    delete run.dataset.now;
  }
  for (const changed of copy.querySelectorAll(".future, .now, .shown, .at")) {
    changed.classList.remove("future", "now", "shown", "at");
    changed.removeAttribute("aria-current");
  }
  return "<!DOCTYPE html>\n" + copy.outerHTML + "\n";
}

function save() {
  const link = document.createElement("a");
  const page = new Blob([savedPage()], { type: "text/html" });
  link.href = URL.createObjectURL(page);
  link.download = decodeURIComponent(location.pathname.split("/").pop()) || "report.html";
  link.click();
  URL.revokeObjectURL(link.href);
  document.getElementById("saved").textContent =
    "saved; txscope reads the marks with --baseline";
}

export function startTriage() {
  for (const form of document.querySelectorAll("form.triage")) {
    form.addEventListener("input", () => note(form));
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  const button = document.getElementById("save");
  if (button) button.addEventListener("click", save);
}
