// Plays the flipbook in this page. A moment is where it may stop; at rest, before the first key, all
// is shown, as in a printed picture.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const book = JSON.parse($("flipbook").textContent);
  const last = book.moments.length - 1;
  const scenes = [...document.querySelectorAll("svg.scene")];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const kMove = 900 * book.pace, kPause = 500;  // milliseconds

  let at = last;       // the moment that is shown, or that is being left
  let resting = true;  // nothing was stepped yet
  let playing = false;
  let motion = 0;      // of requestAnimationFrame

  // ---- What a moment shows ----

  const timed = [], changing = [];
  for (const g of document.querySelectorAll(".scene g[data-t]")) {
    const [begin, end, leaves = begin, arrives = end] = g.dataset.t.split(" ").map(Number);
    timed.push({ g, begin, end, leaves, arrives });
  }
  for (const g of document.querySelectorAll(".scene g[data-at]")) {
    const shown = new Set();
    for (const range of g.dataset.at.split(" ")) {
      const [first, end = first] = range.split("-").map(Number);
      for (let k = first; k <= end; ++k) shown.add(k);
    }
    changing.push({ g, shown, between: +g.closest("svg").dataset.between });
  }

  // What is elsewhere in each picture between two moments; it moves evenly from one to the next.
  const movers = [...document.querySelectorAll(".scene .mover")].map((g) => ({ g, from: +g.dataset.from,
    way: g.dataset.way.split(" ").map(Number), between: +g.closest("svg").dataset.between }));
  function move(moment, share) {
    for (const m of movers) {
      const at = (moment + share) * m.between - m.from, count = m.way.length / 2;
      const i = Math.floor(at), next = Math.min(i + 1, count - 1), w = m.way;
      const mix = (k) => w[2 * i + k] + (w[2 * next + k] - w[2 * i + k]) * (at - i);
      if (m.g.classList.toggle("on", share > 0 && at >= 0 && at < count))
        m.g.setAttribute("transform", `translate(${mix(0)} ${mix(1)})`);
    }
  }

  // As Group::ahead() has it.
  const ahead = (t, now) => !resting && (t.begin > now || (t.begin === now && t.end > t.begin));

  // `share`: of the way to the next moment, for which some diagrams have pictures of their own.
  function paint(now, moment, share = 0) {
    for (const t of timed) {
      t.g.classList.toggle("ahead", ahead(t, now));
      t.g.classList.toggle("under-way", !resting && t.begin < now && now < t.end);
    }
    for (const c of changing)
      c.g.classList.toggle("on", c.shown.has(moment * c.between + Math.floor(share * c.between)));
    move(moment, share);
    moveChips(now);
  }

  // ---- Messages on their way: a label leaves its place and travels along its arrow ----

  const ways = [];
  for (const t of timed) {
    const way = t.g.querySelector(".way");
    if (!way || t.end <= t.begin) continue;
    const scene = t.g.closest("svg");
    const pill = scene.querySelector(`g[data-id="${CSS.escape(t.g.dataset.id)}"] .pill`);
    ways.push({ ...t, way, pill, scene, chip: null });
  }
  function chipOf(w) {
    const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
    let layer = w.scene.querySelector(".chips");
    if (!layer) {
      layer = w.scene.appendChild(svg("g"));
      layer.setAttribute("class", "chips");
      layer.setAttribute("aria-hidden", "true");
    }
    const chip = layer.appendChild(svg("g"));
    if (w.pill) {
      const box = w.pill.getBBox();
      chip.append(w.pill.cloneNode(true));
      w.from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    } else {
      const disc = chip.appendChild(svg("circle"));
      disc.setAttribute("r", 6);
      disc.style.fill = getComputedStyle(w.way).stroke;
      w.from = { x: 0, y: 0 };
    }
    w.length = w.way.getTotalLength();
    return chip;
  }
  function moveChips(now) {
    for (const w of ways) {
      const away = !resting && now > w.begin && now < w.end;
      w.chip = away ? w.chip ?? chipOf(w) : w.chip?.remove();
      if (w.pill) w.pill.style.visibility = away ? "hidden" : "";
      if (!away) continue;
      const share = (now - w.leaves) / (w.arrives - w.leaves || 1); // it lies on the cursor
      const p = w.way.getPointAtLength(w.length * Math.min(Math.max(share, 0), 1));
      w.chip.setAttribute("transform", `translate(${p.x - w.from.x} ${p.y - w.from.y})`);
    }
  }

  // ---- Stepping ----

  function stopMotion() {
    cancelAnimationFrame(motion);
    motion = 0;
    document.body.classList.remove("moving");
  }

  function show(moment) {
    stopMotion();
    resting = false;
    at = Math.min(Math.max(moment, 0), last);
    paint(book.moments[at].now, at);
    tell();
  }

  // Forwards by one with the messages on their way; `then` when they have arrived.
  function advance(then) {
    const from = book.moments[at].now, to = book.moments[at + 1].now;
    if (still.matches) {
      show(at + 1);
      if (then) then();
      return;
    }
    const goal = at + 1;
    document.body.classList.add("moving");
    tell(goal);
    let begin = 0;
    const frame = (time) => {
      begin ||= time;
      const share = (time - begin) / kMove;
      if (share < 1) {
        paint(from + (to - from) * Math.max(share, 0.001), at, Math.max(share, 0.001));
        motion = requestAnimationFrame(frame);
        return;
      }
      show(goal);
      flash(from, to);
      if (then) then();
    };
    motion = requestAnimationFrame(frame);
  }
  function flash(from, to) {
    for (const t of timed) t.g.classList.toggle("arrived", t.end > from && t.end <= to);
  }

  function forward() {
    stop();
    if (resting) return show(0);
    if (motion) return show(at + 1);  // a second press: at once
    if (at < last) advance();
  }
  function back() {
    stop();
    show(motion || resting ? at : at - 1);
  }
  function stop() {
    playing = false;
    clearTimeout(pause);
    $("play").classList.remove("playing");
    $("play").setAttribute("aria-label", "Play");
  }
  let pause = 0;
  function play() {
    if (playing) {
      stop();
      if (motion) show(at + 1);
      return;
    }
    if (resting || at === last) show(0);
    playing = true;
    $("play").classList.add("playing");
    $("play").setAttribute("aria-label", "Pause");
    const next = () => {
      if (!playing) return;
      if (at >= last) return stop();
      advance(() => { pause = setTimeout(next, kPause); });
    };
    pause = setTimeout(next, kPause);
  }

  // ---- What is said and where the scrubber stands ----

  const total = book.unit === "step" ? book.moments.length - 1 : 0;
  function headline(moment) {
    const m = book.moments[moment];
    if (moment === 0) return "Start";
    return total ? `${m.name[0].toUpperCase()}${m.name.slice(1)} of ${book.lastName}` : `At ${m.name}`;
  }
  function tell(moment = at) {
    const m = book.moments[moment];
    const all = resting
      ? [last ? "All steps" : "", book.summary.replace(/\.?$/, ".") +
          (last ? " Press → or the play button to go through them." : "")]
      : [headline(moment), (m.phase ? `${m.phase}: ` : "") + m.caption];
    $("where").textContent = all[0];
    $("what").textContent = all[1];
    $("scrubber").value = moment;
    $("scrubber").setAttribute("aria-valuetext", resting ? "all steps" : headline(moment));
    $("first").disabled = !resting && moment === 0;
    $("back").disabled = !resting && moment === 0;
    $("forward").disabled = $("last").disabled = !resting && moment === last;
    setStories(moment);
    bringIntoView(moment);
  }

  // On a narrow screen the diagram scrolls by itself: what happens now is to be seen.
  function bringIntoView(moment) {
    if (resting || moment === 0) return;
    const from = book.moments[moment - 1].now, to = book.moments[moment].now;
    for (const scene of scenes) {
      const figure = scene.parentElement;
      if (figure.scrollWidth <= figure.clientWidth + 1) continue;
      const current = timed.find((t) => scene.contains(t.g) && t.end > from && t.end <= to);
      if (!current) continue;
      const box = current.g.getBoundingClientRect(), frame = figure.getBoundingClientRect();
      figure.scrollBy({ left: box.left + box.width / 2 - frame.left - frame.width / 2,
                        behavior: still.matches ? "auto" : "smooth" });
    }
  }

  // ---- Stories: in a tooltip for the pointer and the keyboard, as labels for screen readers ----

  const elements = new Map();  // "scene number/id" -> its elements
  scenes.forEach((scene, number) => {
    for (const g of scene.querySelectorAll("g[data-id]")) {
      const key = `${number}/${g.dataset.id}`;
      g.dataset.key = key;
      if (!elements.has(key)) elements.set(key, []);
      elements.get(key).push(g);
      if (g.hasAttribute("aria-label")) g.dataset.story = g.getAttribute("aria-label");
    }
  });
  function setStories(moment) {
    book.stories.forEach((stories, number) => {
      for (const [id, changes] of Object.entries(stories)) {
        let story = "";
        for (const [from, ...lines] of changes)
          if (from <= moment) story = lines.map((line) => book.lines[line]).join("\n");
        for (const g of elements.get(`${number}/${id}`) ?? []) {
          g.dataset.story = story;
          g.setAttribute("aria-label", story);
        }
      }
    });
  }
  const visible = (g) => g.getClientRects().length > 0;
  const storyOf = (key) => (elements.get(key) ?? []).map((g) => g.dataset.story).find(Boolean);

  let chosen = null;
  function choose(key, x, y) {
    if (chosen !== key) for (const g of elements.get(chosen) ?? []) g.classList.remove("chosen");
    chosen = key;
    const story = key && storyOf(key), tip = $("tip");
    tip.hidden = !story;
    if (!story) return;
    for (const g of elements.get(key)) g.classList.add("chosen");
    tip.textContent = story;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
    tip.style.top = `${y + 18 + height > innerHeight - 4 ? Math.max(4, y - height - 10) : y + 18}px`;
  }
  for (const scene of scenes) {
    scene.addEventListener("pointermove", (e) => {
      const g = e.target.closest("g[data-id]");
      choose(g ? g.dataset.key : null, e.clientX, e.clientY);
    });
    scene.addEventListener("pointerleave", () => choose(null));
    // One tab stop a diagram; within it, the arrow keys up and down.
    const told = () => {
      const seen = new Set();
      return [...scene.querySelectorAll("g[data-id]")].filter((g) =>
        storyOf(g.dataset.key) && visible(g) && !seen.has(g.dataset.key) && seen.add(g.dataset.key));
    };
    const first = told()[0];
    for (const g of told()) {
      g.setAttribute("role", "img");
      g.setAttribute("tabindex", g === first ? "0" : "-1");
    }
    scene.addEventListener("focusin", (e) => {
      const g = e.target.closest("g[data-id]");
      if (!g) return;
      for (const other of scene.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
      g.setAttribute("tabindex", "0");
      const box = g.getBoundingClientRect();
      choose(g.dataset.key, box.left + box.width / 2, box.top + box.height / 2);
    });
    scene.addEventListener("focusout", () => choose(null));
    scene.addEventListener("keydown", (e) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[e.key];
      const here = e.target.closest("g[data-id]");
      if (!by || !here) return;
      e.preventDefault();
      const list = told(), next = list[list.indexOf(here) + by];
      if (!next) return;
      next.setAttribute("role", "img");
      next.setAttribute("tabindex", "-1");
      next.focus();
    });
  }

  // ---- Several panels: side by side or below each other, whichever makes them larger; or one ----

  const figures = scenes.map((scene) => scene.parentElement), stage = document.querySelector("main");
  const kLegible = 0.62;  // of the size for which the diagrams' texts are made
  let one = -1;           // which panel is shown alone; -1: all
  let wanted = false;     // the reader chose
  function arrange() {
    const sizes = scenes.map((scene) => scene.viewBox.baseVal);
    const sum = (f) => sizes.reduce((total, size) => total + f(size), 0);
    const most = (f) => Math.max(...sizes.map(f));
    const width = (size) => size.width, height = (size) => size.height;
    const room = { x: stage.clientWidth, y: stage.clientHeight };
    const below = Math.min(room.x / most(width), room.y / sum(height));
    const beside = Math.min(room.x / sum(width), room.y / most(height));
    stage.classList.toggle("beside", beside > below);
    figures.forEach((figure, i) => figure.style.setProperty(
      "--share", beside > below ? sizes[i].width : sizes[i].height));
    const narrow = matchMedia("(max-width: 720px)").matches;  // there everything scrolls
    if (!wanted) one = scenes.length > 1 && !narrow && Math.max(below, beside) < kLegible ? 0 : -1;
    figures.forEach((figure, i) => { figure.hidden = one >= 0 && one !== i; });
  }
  function otherPanels() {
    if (scenes.length < 2) return;
    wanted = true;
    one = one + 1 < scenes.length ? one + 1 : -1;
    arrange();
    choose(null);
  }
  $("panels").hidden = scenes.length < 2;
  $("panels").addEventListener("click", otherPanels);
  addEventListener("resize", arrange);
  // ---- Light and dark, paper ----

  const root = document.documentElement, night = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : night.matches);
  const nameTheme = () => $("theme").setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  $("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  night.addEventListener("change", nameTheme);
  $("print").addEventListener("click", () => print());

  // ---- Controls ----

  const toFirst = () => { stop(); show(0); }, toLast = () => { stop(); show(last); };
  for (const [id, action] of Object.entries({ first: toFirst, back, play, forward, last: toLast }))
    $(id).addEventListener("click", action);
  $("scrubber").max = last;
  $("scrubber").addEventListener("input", (e) => { stop(); show(+e.target.value); });

  const keys = {
    ArrowRight: forward, PageDown: forward, n: forward,
    ArrowLeft: back, PageUp: back, p: back,
    Home: toFirst, End: toLast, " ": play, v: otherPanels,
  };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (e.key === "Escape") return choose(null);
    // Space presses the button that has the focus.
    if (e.key === " " && e.target.closest("button")) return;
    const action = keys[e.key];
    if (!action || (last === 0 && e.key !== "v")) return;
    e.preventDefault();
    action();
  });

  // Phases under the scrubber: those that follow each other are one mark.
  const names = [];
  for (let k = 1; k <= last; ++k) {
    const phase = book.moments[k].phase;
    let end = k;
    while (end < last && book.moments[end + 1].phase === phase) ++end;
    if (phase) {
      if (!names.includes(phase)) names.push(phase);
      const mark = $("marks").appendChild(document.createElement("span"));
      mark.textContent = mark.title = phase;
      mark.className = `m${names.indexOf(phase) % 6}`;
      mark.style.left = `calc(${((k - 1) / last) * 100}% + 1px)`;
      mark.style.width = `calc(${((end - k + 1) / last) * 100}% - 2px)`;
    }
    k = end;
  }

  nameTheme(), arrange();
  document.body.classList.toggle("still", last === 0);
  const asked = /^#step-(\d+)$/.exec(location.hash);
  if (asked && last) show(+asked[1]);
  else {
    paint(book.moments[last].now, last);
    tell();
  }
})();
