"use strict";

// A script cannot send a cookie of its choice: the browser sends its own.
const cookiesAreTheBrowsers = (system) => ({
  wrapComponents: {
    apiKeyAuth: (Original) => (props) => {
      const { createElement } = system.React;
      if (props.schema.get("in") !== "cookie") {
        return createElement(Original, props);
      }
      return createElement("div", { className: "by-browser" },
        createElement("h4", null, createElement("code", null, props.name), " (cookie)"),
        createElement("p", null, props.schema.get("description")),
        createElement("p", null, "There is nothing to type: this browser sends the cookie by itself while it is signed in."));
    },
  },
});

// The reference that the page names. Credentials stay in the page's memory, and
// no other host is asked for anything.
const place = document.getElementById("reference");

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  plugins: [cookiesAreTheBrowsers],
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  filter: true,
});
