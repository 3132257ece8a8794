// A match one step at a time; without this it is a list of all steps.
for (const list of document.querySelectorAll(".steps")) {
  const steps = [...list.children];
  const bar = document.createElement("div");
  bar.className = "controls";
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  let at = 0;
  const show = (n) => {
    at = Math.max(0, Math.min(steps.length - 1, n));
    steps.forEach((step, i) => { step.hidden = i !== at; });
    told.textContent = `${at} of ${steps.length - 1}`;
    buttons.forEach(([button, to]) => { button.disabled = Math.max(0, Math.min(steps.length - 1, to())) === at; });
  };
  const buttons = [
    ["Start", () => 0], ["Back", () => at - 1], ["Next", () => at + 1], ["End", () => steps.length - 1],
  ].map(([name, to]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => show(to()));
    bar.append(button);
    return [button, to];
  });
  bar.append(told);
  list.before(bar);
  show(0);
}
