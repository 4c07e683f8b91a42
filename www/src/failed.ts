// A classic script that loads before the module. It reports a module, or an import of it, that cannot be loaded.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    const offline = navigator.onLine ? "" : " You seem to be offline.";
    document.getElementById("failed")!.textContent =
      `The page's program could not be loaded.${offline} Load the page again to try once more.`;
  },
  true,
);
