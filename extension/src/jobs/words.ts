import type { JobState } from './job';

/** The texts of a card. */
export interface JobWords {
  readonly states: Readonly<Record<JobState, string>>;
  readonly cancel: string;
  readonly steps: string;
  /** The state of work that had not ended, and that the kernel is not known to run. */
  readonly lost: string;
  readonly unknown: string;
  readonly otherVersion: string;
  job(number: number): string;
  progress(done: string, total: string | null, unit: string): string;
}

/** A bundle of translations, as far as it is used here. */
interface Translations {
  __(text: string, ...values: readonly string[]): string;
}

/** Return the texts in the language of the page. */
export function jobWords(trans: Translations): JobWords {
  return {
    states: {
      running: trans.__('Running'),
      stopping: trans.__('Stopping'),
      failed: trans.__('Failed'),
      canceled: trans.__('Canceled')
    },
    cancel: trans.__('Cancel'),
    steps: trans.__('Steps'),
    lost: trans.__('Was running'),
    unknown: trans.__(
      'This is what was known when the notebook was saved. Its kernel does not run it any more; the timeline of the table shows whether it committed.'
    ),
    otherVersion: trans.__(
      'Another version of the extension wrote this output. Run the cell again.'
    ),
    job: number => trans.__('Job %1', String(number)),
    progress: (done, total, unit) =>
      total === null
        ? trans.__('%1 %2', done, unit)
        : trans.__('%1 of %2 %3', done, total, unit)
  };
}
