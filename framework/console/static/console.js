// The console works without this script. It closes the menu on narrow screens, focuses what was not
// accepted, and asks before a form with entries is left.
"use strict";

const menu = document.querySelector(".menu details");
const narrow = matchMedia("(max-width: 720px)");
const fitMenu = () => { if (menu) menu.open = !narrow.matches; };
fitMenu();
narrow.addEventListener("change", fitMenu);

const refused = document.querySelector("[data-focus]");
if (refused) refused.focus();

// The command names the whole address.
const curl = document.querySelector(".api code");
if (curl) curl.textContent = curl.textContent.replace(" '/", " '" + location.origin + "/");

// Times are those of the browser's zone from the second page on.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const base = document.querySelector(".home");
const knowsZone = () => document.cookie.split("; ").includes("zone=" + zone);
if (zone && base && !knowsZone()) {
  document.cookie = "zone=" + zone + "; path=" + new URL(base.href).pathname + "; max-age=31536000; samesite=lax" + (location.protocol === "https:" ? "; secure" : "");
  if (knowsZone() && document.querySelector("main time") && !document.querySelector("form[data-guard]")) location.reload();
}

// Ctrl+K and / lead to the search in everything.
addEventListener("keydown", (event) => {
  const find = document.getElementById("find");
  const typing = event.target.closest("input, textarea, select");
  if (find && (event.key === "k" && (event.ctrlKey || event.metaKey) || event.key === "/" && !typing)) { event.preventDefault(); find.focus(); find.select(); }
});

// One box chooses all rows of a page.
const all = document.querySelector("input[data-all]");
if (all) all.addEventListener("change", () => { for (const box of document.querySelectorAll("input[name=row]")) box.checked = all.checked; });

// A page that the browser kept is read again, so that nobody sees it after signing out.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

for (const form of document.querySelectorAll("form[data-guard]")) {
  let entered = false;
  form.addEventListener("input", () => { entered = true; });
  form.addEventListener("submit", () => { entered = false; });
  addEventListener("beforeunload", (event) => { if (entered) event.preventDefault(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

// A field that names a row gets a search: the person types a title, and the field gets the key of the row that was
// chosen. The roles and keys are those of the combobox of the ARIA practices. A text without a choice is sent as it is,
// and the API says that it names no row.
function offerSearch(key, number) {
  const typed = key.cloneNode();
  const list = document.createElement("ul");
  const said = document.createElement("p");
  let options = [], active = -1, latest = 0, timer = 0;
  key.type = "hidden";
  key.removeAttribute("id");
  typed.removeAttribute("name");
  typed.value = key.dataset.text || key.value;
  for (const [name, value] of Object.entries({
    role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "found-" + number,
  })) typed.setAttribute(name, value);
  list.id = "found-" + number;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  list.className = "found";
  list.hidden = true;
  said.className = "hidden";
  said.setAttribute("role", "status");
  key.after(typed, list, said);

  const show = (open) => { list.hidden = !open; typed.setAttribute("aria-expanded", String(open)); if (!open) mark(-1); };
  const mark = (at) => {
    active = at;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) { typed.setAttribute("aria-activedescendant", list.children[at].id); list.children[at].scrollIntoView({ block: "nearest" }); }
    else typed.removeAttribute("aria-activedescendant");
  };
  const take = (at) => { key.value = options[at].key; typed.value = options[at].text; show(false); };
  const find = async () => {
    const mine = ++latest;
    const answer = await fetch(key.dataset.find + "&q=" + encodeURIComponent(typed.value), { headers: { Accept: "application/json" } });
    if (mine !== latest || !answer.ok) return;
    options = await answer.json();
    list.replaceChildren(...options.map((option, i) => {
      const item = document.createElement("li");
      item.id = "found-" + number + "-" + i;
      item.setAttribute("role", "option");
      item.textContent = option.text;
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(i); });
      return item;
    }));
    said.textContent = options.length === 0 ? "No match" : options.length + " found";
    show(options.length > 0);
    mark(options.length > 0 ? 0 : -1);
  };
  typed.addEventListener("input", () => {
    key.value = typed.value;
    clearTimeout(timer);
    latest++;
    if (typed.value.trim() === "") { show(false); return; }
    timer = setTimeout(find, 150);
  });
  typed.addEventListener("keydown", (event) => {
    const open = !list.hidden, n = options.length;
    if (event.key === "ArrowDown" && !open) find();
    else if (event.key === "ArrowDown") mark((active + 1) % n);
    else if (event.key === "ArrowUp" && open) mark((active - 1 + n) % n);
    else if (event.key === "Enter" && open && active >= 0) take(active);
    else if (event.key === "Escape" && open) show(false);
    else return;
    event.preventDefault();
  });
  typed.addEventListener("keypress", (event) => { if (event.key === "Enter") event.preventDefault(); }); // a choice sends no form
  typed.addEventListener("blur", () => show(false));
}

document.querySelectorAll("input[data-find]").forEach(offerSearch);

// A file is read into the text, so that the person sees it before it is sent.
const chooser = document.querySelector("[data-file]");
if (chooser) {
  chooser.hidden = false;
  chooser.querySelector("input").addEventListener("change", async (event) => {
    if (event.target.files.length > 0) document.getElementById("csv").value = await event.target.files[0].text();
  });
}
