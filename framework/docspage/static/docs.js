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

// The dialog opens at its beginning. Each of its fields asks for the focus when
// it comes, and the last would have it.
const dialogsBeginAtTheTop = (system) => ({
  wrapComponents: {
    authorizationPopup: (Original) => (props) => {
      const { createElement, useEffect, useRef } = system.React;
      const dialog = useRef(null);
      useEffect(() => {
        const field = dialog.current.querySelector(".modal-ux-content input");
        if (field) {
          field.focus({ preventScroll: true });
        }
        dialog.current.querySelector(".modal-ux-content").scrollTop = 0;
      }, []);
      return createElement("div", { ref: dialog }, createElement(Original, props));
    },
  },
});

// A padlock is open until there are credentials to send, then closed. An
// operation that needs none has no padlock; it would be closed from the start.
const padlocksAreForCredentials = (system) => ({
  wrapComponents: {
    OperationSummary: (Original) => (props) => {
      const ways = props.operationProps.get("security");
      const open = ways && ways.some((way) => way.isEmpty());
      return system.React.createElement(Original, {
        ...props,
        operationProps: open ? props.operationProps.delete("security") : props.operationProps,
      });
    },
  },
});

// Operations are found by words of their method, path, summary and tag, in any
// case.
const operationsAreFound = (system) => ({
  fn: {
    opsFilter: (tagged, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/);
      const matches = (tag) => (one) => {
        const text = [tag, one.get("method"), one.get("path"), one.getIn(["operation", "summary"], "")].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return tagged
        .map((group, tag) => group.update("operations", (all) => all.filter(matches(tag))))
        .filter((group) => !group.get("operations").isEmpty());
    },
  },
  wrapComponents: {
    FilterContainer: () => ({ layoutSelectors, layoutActions }) => {
      const { createElement } = system.React;
      const phrase = layoutSelectors.currentFilter();
      return createElement("div", { className: "filter wrapper" },
        createElement("input", {
          className: "operation-filter-input",
          type: "search",
          placeholder: "Find an operation",
          "aria-label": "Find an operation",
          value: typeof phrase === "string" ? phrase : "",
          onChange: (event) => layoutActions.updateFilter(event.target.value),
        }));
    },
  },
});

// The reference that the page names. Credentials stay in the page's memory, and
// no other host is asked for anything.
const place = document.getElementById("reference");

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  plugins: [cookiesAreTheBrowsers, dialogsBeginAtTheTop, padlocksAreForCredentials, operationsAreFound],
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  filter: true,
});
