// A classic script, which is there before the module: where that or what it imports cannot be had, nobody else says so.
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
