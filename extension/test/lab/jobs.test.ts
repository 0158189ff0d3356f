import { beforeEach, describe, expect, it, vi } from 'vitest';
import { JobCard } from '../../src/jobs/card';
import { durationText, parseJob, type Job } from '../../src/jobs/job';
import { jobWords } from '../../src/jobs/words';

const words = jobWords({
  __: (text, ...values) =>
    values.reduce<string>(
      (result, value, index) => result.replace(`%${index + 1}`, value),
      text
    )
});

function output(facts: object = {}) {
  return {
    version: 1,
    id: 'paimon-job-1',
    number: 2,
    state: 'running',
    title: "INSERT INTO t SELECT '<b>'",
    steps: [
      step({ label: 'Planning', finished: true }),
      step({ label: 'Stage 3', done: '1200', total: '4800', unit: 'tasks' })
    ],
    seconds: 65.2,
    message: '',
    ...facts
  };
}

function step(facts: object) {
  return {
    label: 'Step',
    done: '0',
    total: null,
    unit: 'files',
    detail: '',
    seconds: 1.5,
    finished: false,
    ...facts
  };
}

const job = (facts: object = {}) => parseJob(output(facts)) as Job;

describe('an output', () => {
  it.each([
    null,
    3,
    {},
    output({ version: 2 }),
    output({ id: 7 }),
    output({ state: 'done' }),
    output({ steps: null })
  ])('that is not the work of a cell is not drawn', data => {
    expect(parseJob(data)).toBeNull();
  });

  it('may have parts of a wrong type', () => {
    const parsed = job({
      steps: [null, { done: 'x', total: 4 }],
      seconds: 'a'
    });
    expect(parsed.seconds).toBe(0);
    expect(parsed.steps.map(({ done, total }) => [done, total])).toEqual([
      ['0', null],
      ['0', null]
    ]);
  });

  it('has durations', () => {
    expect([0.4, 65, 3700].map(durationText)).toEqual([
      '0 s',
      '1 min 5 s',
      '1 h 1 min'
    ]);
  });
});

describe('a card', () => {
  const cancel = vi.fn();
  let card: JobCard;
  const find = (css: string) => card.node.querySelector<HTMLElement>(css)!;

  beforeEach(() => {
    cancel.mockReset();
    card = new JobCard(words);
    document.body.replaceChildren(card.node);
    card.update(job(), { isLinked: true, cancel });
  });

  it('shows state, title, time and steps', () => {
    expect(find('[role=status]').textContent).toBe('Job 2 · Running');
    expect(find('code').textContent).toBe("INSERT INTO t SELECT '<b>'");
    expect(find('.pw-job-time').textContent).toBe('1 min 5 s');
    const bars = [...card.node.querySelectorAll('progress')];
    expect(bars.map(bar => bar.value)).toEqual([1, 0.25]);
    expect(bars.map(bar => bar.getAttribute('aria-label'))).toEqual([
      'Planning',
      'Stage 3'
    ]);
    expect(find('li:last-child span').textContent).toBe(
      'Stage 3 · 1,200 of 4,800 tasks · 1 s'
    );
    expect(find('.pw-job-notice').hidden).toBe(true);
  });

  it('cancels once, and keeps the focus while it changes', () => {
    const button = find('button') as HTMLButtonElement;
    expect(button.getAttribute('aria-label')).toBe('Cancel Job 2');
    button.focus();
    const steps = [step({ label: 'Stage 4' })];
    card.update(job({ steps }), { isLinked: true, cancel });
    expect(document.activeElement).toBe(button);
    expect(card.node.querySelectorAll('li').length).toBe(1);
    expect(find('progress').hasAttribute('value')).toBe(false);
    const heard = vi.fn();
    document.body.addEventListener('keydown', heard);
    for (const key of ['Enter', ' ', 'Escape']) {
      button.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true })
      );
    }
    expect(heard.mock.calls.map(([event]) => event.key)).toEqual(['Escape']);
    button.click();
    button.click();
    expect(cancel).toHaveBeenCalledOnce();
    card.update(job({ state: 'stopping' }), { isLinked: true, cancel });
    expect(button.disabled).toBe(true);
  });

  it('says that the kernel does not run the work any more', () => {
    card.update(job(), { isLinked: false, cancel });
    expect(find('button').hidden).toBe(true);
    expect(find('.pw-job-notice').hidden).toBe(false);
    expect(find('.pw-job-notice').textContent).toBe(words.unknown);
    expect(find('[role=status]').textContent).toBe('Job 2 · Was running');
    expect(card.node.dataset.state).toBe('lost');
  });

  it('ends with the message, without steps', () => {
    const message = 'InvalidExpression: no.\n  SELECT x\n         ^';
    card.update(job({ state: 'failed', message }), { isLinked: false, cancel });
    expect(find('[role=alert]').textContent).toBe(message);
    expect(find('ul').hidden).toBe(true);
    expect(find('.pw-job-notice').hidden).toBe(true);
    expect(card.node.dataset.state).toBe('failed');
  });
});
