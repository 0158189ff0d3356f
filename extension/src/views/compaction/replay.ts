import type { ReplayValue } from '../../contract';
import { html } from '../markup';
import { sum, type Texts } from '../texts';
import { placeOf } from './rules';
import { ReplayPainter } from './replay_painter';
import { ReplayStates, type ReplayState } from './replay_state';

const MOVE_MILLIS = 620;
const WAIT_MILLIS = 420;
const SPEEDS = [0.5, 1, 2, 4, 8];

/** Replays how commits, from compaction to compaction, changed the files of one bucket. */
export class Replay {
  private readonly painter: ReplayPainter;
  private states: ReplayStates | null = null;
  private at = 0;
  private speed = 1;
  private playing = false;
  private frame = 0;
  private timer = 0;
  /** The state that the animation starts from; `begun` is when it started. */
  private from: ReplayState | null = null;
  private to: ReplayState | null = null;
  private begun = 0;
  private watcher: ResizeObserver | null = null;
  private texts: Texts | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly older: (limit: number) => void,
    private readonly announce: (text: string) => void
  ) {
    this.painter = new ReplayPainter(root, () => this.paint());
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('input', event => this.onInput(event));
    root.addEventListener('change', event => this.onChange(event));
  }

  update(replay: ReplayValue | null, texts: Texts): void {
    this.texts = texts;
    if (replay === this.states?.replay) {
      return;
    }
    const before = this.states?.step(this.at)?.snapshot ?? null;
    this.stop();
    this.states = replay && new ReplayStates(replay);
    const same =
      replay?.steps.findIndex(step => step.snapshot === before) ?? -1;
    this.at = same >= 0 ? same + 1 : (this.states?.count ?? 1) - 1;
    this.from = this.to = this.states?.state(this.at) ?? null;
    this.draw(texts);
  }

  /** Show the state after the commit of a snapshot, if the replay contains it. */
  goTo(snapshot: string): void {
    const index =
      this.states?.replay.steps.findIndex(step => step.snapshot === snapshot) ??
      -1;
    if (index >= 0) {
      this.show(index + 1, false);
    }
  }

  dispose(): void {
    this.stop();
    this.watcher?.disconnect();
    this.painter.dispose();
  }

  /** Stop playing, for example when another tab is shown. */
  stop(): void {
    const view = this.root.ownerDocument.defaultView;
    this.playing = false;
    view?.cancelAnimationFrame(this.frame);
    view?.clearTimeout(this.timer);
    this.frame = this.timer = 0;
    this.drawButton();
  }

  private draw(texts: Texts): void {
    const { root, states } = this;
    if (states === null) {
      root.innerHTML = html`<p class="pwv-empty">
        ${texts.format('replayNothing')}
      </p>`.text;
      return;
    }
    const { replay } = states;
    const { steps } = replay;
    const tool = (name: string, label: string, sign: string) =>
      html`<button
        type="button"
        data-focus="replay-${name}"
        data-replay="${name}"
        aria-label="${label}"
        title="${label}"
      >
        ${sign}
      </button>`;
    const marks = steps.flatMap((_, index) =>
      states.isCompaction(index + 1)
        ? [
            html`<i
              style="left:${(((index + 1) / steps.length) * 100).toFixed(2)}%"
            ></i>`
          ]
        : []
    );
    const title = texts.format('replayTitle', {
      where: placeOf(replay, texts),
      n: steps.length,
      from: steps[0]?.snapshot ?? '',
      to: steps[steps.length - 1]?.snapshot ?? ''
    });
    root.innerHTML = html`<p>${title}</p>
      <div class="pwv-replay-stage" role="img"></div>
      <div class="pwv-replay-bar">
        ${tool('first', texts.format('replayFirst'), '|◀')}
        ${tool('previous', texts.format('replayPrevious'), '◀◀')}
        ${tool('play', texts.format('replayPlay'), '▶ ' + texts.format('replayPlay'))}
        ${tool('next', texts.format('replayNext'), '▶▶')}
        ${tool('last', texts.format('replayLast'), '▶|')}
        <input
          type="range"
          min="0"
          max="${steps.length}"
          step="1"
          data-focus="replay-slider"
          aria-label="${texts.format('replaySlider')}"
        />
        <label
          >${texts.format('replaySpeed')}
          <select data-focus="replay-speed">
            ${SPEEDS.map(each => html`<option value="${each}" ${each === this.speed && html`selected`}>${each} ×</option>`)}
          </select>
        </label>
        ${replay.older && html`<button type="button" data-focus="replay-older" data-replay="older">${texts.format('replayOlder')}</button>`}
      </div>
      <div class="pwv-replay-marks" aria-hidden="true">${marks}</div>
      <p class="pwv-replay-caption"></p>`.text;
    const stage = root.querySelector('.pwv-replay-stage')!;
    stage.append(this.painter.canvas.element);
    this.watcher?.disconnect();
    if (typeof ResizeObserver === 'function') {
      this.watcher = new ResizeObserver(() => this.paint());
      this.watcher.observe(stage);
    }
    this.caption();
    this.paint();
  }

  private get slider(): HTMLInputElement | null {
    return this.root.querySelector('input[type=range]');
  }

  private get isStill(): boolean {
    const view = this.root.ownerDocument.defaultView;
    return (
      view?.matchMedia?.('(prefers-reduced-motion: reduce)').matches !== false
    );
  }

  // --- events ------------------------------------------------------------------

  private onClick(event: Event): void {
    const name = (event.target as Element).closest<HTMLElement>('[data-replay]')
      ?.dataset.replay;
    const { states } = this;
    if (name === undefined || states === null) {
      return;
    }
    if (name === 'play') {
      if (this.playing) {
        this.stop();
      } else {
        this.play();
      }
      return;
    }
    this.stop();
    switch (name) {
      case 'older':
        this.older(states.replay.steps.length * 2);
        break;
      case 'first':
        this.show(0, false);
        break;
      case 'last':
        this.show(states.count - 1, false);
        break;
      default:
        this.show(
          states.compactionFrom(this.at, name === 'next' ? 1 : -1),
          true
        );
    }
    this.announce(this.captionText());
  }

  private onInput(event: Event): void {
    const { value, type } = event.target as HTMLInputElement;
    if (type === 'range') {
      this.stop();
      this.show(Number(value), Math.abs(Number(value) - this.at) === 1);
    }
  }

  private onChange(event: Event): void {
    const target = event.target as HTMLSelectElement;
    if (target.dataset.focus === 'replay-speed') {
      this.speed = Number(target.value);
    }
  }

  private play(): void {
    const { states } = this;
    if (states === null) {
      return;
    }
    if (this.at >= states.count - 1) {
      this.show(0, false);
    }
    this.playing = true;
    this.drawButton();
    this.playOn();
  }

  /** Move to the next commit, and schedule the one after it. */
  private playOn(): void {
    const { states } = this;
    const view = this.root.ownerDocument.defaultView;
    if (!this.playing || states === null || view === null) {
      return;
    }
    if (this.at >= states.count - 1) {
      this.stop();
      return;
    }
    const next = this.at + 1;
    // Writes are played quickly, compactions slowly.
    const slow = states.isCompaction(next) ? 1 : 0.35;
    this.show(next, true, slow);
    const wait =
      ((this.isStill ? 0 : MOVE_MILLIS * slow) + WAIT_MILLIS * slow) /
      this.speed;
    this.timer = view.setTimeout(() => this.playOn(), wait);
  }

  private drawButton(): void {
    const button = this.root.querySelector<HTMLElement>('[data-replay=play]');
    if (button && this.texts) {
      const label = this.texts.format(
        this.playing ? 'replayPause' : 'replayPlay'
      );
      button.textContent = `${this.playing ? '❚❚' : '▶'} ${label}`;
      button.setAttribute('aria-label', label);
      button.title = label;
    }
  }

  // --- drawing -----------------------------------------------------------------

  private show(number: number, moves: boolean, slow = 1): void {
    const { states } = this;
    const view = this.root.ownerDocument.defaultView;
    if (states === null || view === null) {
      return;
    }
    this.from = this.to;
    this.to = states.state(number);
    this.at = number;
    this.caption();
    view.cancelAnimationFrame(this.frame);
    if (!moves || this.isStill) {
      this.from = this.to;
      this.paint();
      return;
    }
    const millis = (MOVE_MILLIS * slow) / this.speed;
    this.begun = view.performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - this.begun) / millis));
      this.paint(share);
      this.frame = share < 1 ? view.requestAnimationFrame(step) : 0;
      if (share === 1) {
        this.from = this.to;
      }
    };
    this.frame = view.requestAnimationFrame(step);
  }

  private caption(): void {
    const { slider, root } = this;
    const text = this.captionText();
    const place = root.querySelector('.pwv-replay-caption');
    if (place) {
      place.textContent = text;
    }
    root.querySelector('.pwv-replay-stage')?.setAttribute('aria-label', text);
    if (slider) {
      slider.value = String(this.at);
      slider.setAttribute('aria-valuetext', text);
    }
  }

  private captionText(): string {
    const { states, to, texts } = this;
    if (states === null || to === null || texts === null) {
      return '';
    }
    const files = [...to.files.values()].map(each => each.file);
    const totals = {
      runs: texts.format('runs', { n: to.lanes.length }),
      files: texts.format('files', { n: files.length }),
      size: texts.size(sum(files.map(file => file.size)))
    };
    const step = states.step(this.at);
    if (step === null) {
      const id = states.replay.steps[0]?.snapshot ?? '';
      return texts.format('replayStart', { id, ...totals });
    }
    const { removed, added } = step;
    const names = new Set(removed.map(each => states.replay.files[each].name));
    const moved = added.filter(each =>
      names.has(states.replay.files[each].name)
    );
    const word = (count: number) => texts.format('files', { n: count });
    const merged = {
      removed: word(removed.length - moved.length),
      added: word(added.length - moved.length)
    };
    const parts = [
      removed.length > moved.length &&
        added.length > moved.length &&
        texts.format('replayMerged', merged),
      removed.length === moved.length &&
        added.length > moved.length &&
        texts.format('replayAdded', merged),
      added.length === moved.length &&
        removed.length > moved.length &&
        texts.format('replayRemoved', merged),
      moved.length > 0 &&
        texts.format('replayMovedStep', { moved: word(moved.length) })
    ].filter(part => part !== false);
    return texts.format('replayStep', {
      id: step.snapshot,
      kind: step.kind,
      time: texts.time(step.time_millis),
      changes: parts.join(', '),
      ...totals
    });
  }

  private paint(share = 1): void {
    const { states, from, to, texts } = this;
    if (states === null || from === null || to === null) {
      return;
    }
    const keyed = states.replay.keys.length > 0;
    const appended = texts?.format('appendLane') ?? '';
    const laneName = (level: number) => (keyed ? `L${level}` : appended);
    this.painter.paint({ most: states.most, laneName }, from, to, share);
  }
}
