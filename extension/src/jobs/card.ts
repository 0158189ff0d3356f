import { pressable } from '../pressable';
import {
  durationText,
  fractionOf,
  isOpen,
  type Job,
  type JobStep
} from './job';
import type { JobWords } from './words';

/** The link from a card to the kernel: whether the kernel runs the job, and what the card's button does. */
export interface JobLink {
  readonly isLinked: boolean;
  cancel(): void;
}

/**
 * A card that shows a job. It is updated in place, so that the button keeps the focus and screen readers announce only
 * changes of the state.
 */
export class JobCard {
  readonly node = element('div', 'pw-job');
  private readonly _state = element('span', 'pw-job-state');
  private readonly _title = element('code', 'pw-job-title');
  private readonly _time = element('span', 'pw-job-time');
  private readonly _button = pressable(element('button', 'pw-job-cancel'));
  private readonly _steps = element('ul', 'pw-job-steps');
  private readonly _message = element('pre', 'pw-job-message');
  private readonly _notice = element('p', 'pw-job-notice');
  private _cancel: () => void = () => undefined;

  constructor(private readonly _words: JobWords) {
    this.node.setAttribute('role', 'group');
    this._state.setAttribute('role', 'status');
    this._message.setAttribute('role', 'alert');
    this._message.tabIndex = 0;
    this._steps.setAttribute('aria-label', _words.steps);
    this._button.type = 'button';
    this._button.textContent = _words.cancel;
    this._button.addEventListener('click', () => {
      this._button.disabled = true;
      this._cancel();
    });
    const head = element('div', 'pw-job-head');
    head.append(this._state, this._title, this._time, this._button);
    this.node.append(head, this._steps, this._message, this._notice);
  }

  /** Show the current state of the job. */
  update(job: Job, link: JobLink): void {
    const { _words: words } = this;
    const open = isOpen(job);
    const name = job.number === null ? '' : words.job(job.number);
    const isLost = open && !link.isLinked;
    const state = isLost ? words.lost : words.states[job.state];
    setText(this._state, [name, state].filter(Boolean).join(' · '));
    setText(this._title, job.title);
    this._title.title = job.title;
    setText(this._time, durationText(job.seconds));
    this.node.dataset.state = isLost ? 'lost' : job.state;
    this.node.setAttribute('aria-label', `${name} ${job.title}`.trim());
    this._cancel = () => link.cancel();
    this._button.setAttribute(
      'aria-label',
      `${words.cancel} ${name || job.title}`.trim()
    );
    this._button.hidden = !open || isLost;
    this._button.disabled = job.state === 'stopping';
    this._drawSteps(open ? job.steps : []);
    setText(this._message, job.message);
    this._message.hidden = job.message === '';
    setText(this._notice, words.unknown);
    this._notice.hidden = !isLost;
  }

  private _drawSteps(steps: readonly JobStep[]): void {
    while (this._steps.children.length > steps.length) {
      this._steps.lastElementChild!.remove();
    }
    steps.forEach((step, index) => {
      const item = this._steps.children[index] ?? this._newStep();
      const bar = item.querySelector('progress')!;
      const fraction = fractionOf(step);
      if (fraction === null) {
        bar.removeAttribute('value');
      } else {
        bar.value = fraction;
      }
      bar.setAttribute('aria-label', step.label);
      setText(item.querySelector('span')!, this._stepText(step));
    });
    this._steps.hidden = steps.length === 0;
  }

  private _newStep(): Element {
    const item = element('li', 'pw-job-step');
    const bar = element('progress', 'pw-job-bar');
    bar.max = 1;
    item.append(bar, element('span', ''));
    this._steps.append(item);
    return item;
  }

  private _stepText(step: JobStep): string {
    const { label, done, total, unit, detail, seconds } = step;
    const counts =
      total !== null || done !== '0'
        ? this._words.progress(grouped(done), total && grouped(total), unit)
        : '';
    return [label, counts, detail, durationText(seconds)]
      .filter(Boolean)
      .join(' · ');
  }
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

function setText(node: Element, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  css: string
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = css;
  return made;
}
