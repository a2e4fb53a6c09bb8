/** Finds findings, transactions of a history, and variables of a protocol. */

const MOST = 50;

function has(text, wanted) {
  return text.toLowerCase().includes(wanted);
}

function searchFindings(input) {
  const wanted = input.value.trim().toLowerCase();
  for (const item of document.querySelectorAll(".contents-list li")) {
    const id = item.querySelector("a").getAttribute("href").slice(1);
    const article = document.getElementById(id);
    const fits = has(article ? article.textContent : item.textContent, wanted);
    item.classList.toggle("hidden", !fits);
  }
}

function row(found, lanes) {
  const [name, lane, where, text, finding] = found;
  const item = document.createElement("div");
  const head = document.createElement(finding ? "a" : "strong");
  if (finding) head.href = `#${finding}`;
  head.textContent = name;
  const rest = document.createElement("code");
  rest.textContent = ` ${lanes[lane] || ""} ${where} ${text}`;
  item.append(head, rest);
  return item;
}

function searchTransactions(section, all, input) {
  const wanted = input.value.trim().toLowerCase();
  const out = section.querySelector(".found");
  out.replaceChildren();
  if (wanted === "") return;
  const lanes = [...section.querySelectorAll(".striplanes div")].map((lane) => {
    return lane.textContent;
  });
  const found = all.filter((one) => has(`${one[0]} ${one[2]} ${one[3]}`, wanted));
  out.append(...found.slice(0, MOST).map((one) => row(one, lanes)));
  const more = document.createElement("p");
  more.textContent =
    found.length > MOST ? `and ${found.length - MOST} more` : `${found.length} found`;
  out.append(more);
}

function searchVariables(run, input) {
  const wanted = input.value.trim().toLowerCase();
  for (const line of run.querySelectorAll(".states tbody tr")) {
    line.classList.toggle("hidden", !has(line.textContent, wanted));
  }
}

export function startSearch() {
  const find = document.getElementById("find");
  if (find) find.addEventListener("input", () => searchFindings(find));
  for (const section of document.querySelectorAll(".overview")) {
    const input = section.querySelector(".findtxn");
    let all = null; // read when it is needed
    input.addEventListener("input", () => {
      all ??= JSON.parse(document.getElementById(section.dataset.index).textContent);
      searchTransactions(section, all, input);
    });
  }
  for (const input of document.querySelectorAll("input.variables")) {
    const run = input.closest(".run");
    input.addEventListener("input", () => searchVariables(run, input));
  }
}
