/** Buttons that copy a text. */

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

export function startCopying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const element = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(element.textContent);
      } catch {
        select(element); // a page from disk may not write the clipboard
        document.execCommand("copy");
      }
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
  }
}
