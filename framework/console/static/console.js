// The console works without this script. It closes the menu on narrow screens, focuses what was not
// accepted, and asks before a form with entries is left.
"use strict";

const menu = document.querySelector(".menu details");
if (menu && matchMedia("(max-width: 720px)").matches) menu.open = false;

const refused = document.querySelector("[data-focus]");
if (refused) refused.focus();

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
