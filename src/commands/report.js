const all = () => document.querySelectorAll("details");
const on = (id, act) => document.getElementById(id)?.addEventListener("click", act);
on("open", () => all().forEach((d) => (d.open = true)));
on("close", () => all().forEach((d) => (d.open = false)));
on("bad", () => document.body.classList.toggle("only-bad"));
addEventListener("beforeprint", () => document.querySelectorAll("details.group, details.unfine").forEach((d) => (d.open = true)));
