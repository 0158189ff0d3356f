import type { JobState } from './job';

/** The texts of a job card. */
export interface JobWords {
  readonly states: Readonly<Record<JobState, string>>;
  readonly cancel: string;
  readonly steps: string;
  /** The state of a job that was running when the output was written and that the kernel does not report as running. */
  readonly lost: string;
  readonly unknown: string;
  readonly otherVersion: string;
  job(number: number): string;
  progress(done: string, total: string | null, unit: string): string;
}

/** The part of a translation bundle that is used here. */
interface Translations {
  __(text: string, ...values: readonly string[]): string;
}

/** Return the texts of a card in the language of the page. */
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
      'This is the state from when the notebook was saved. The kernel no longer runs the job; the timeline of the table shows whether it committed.'
    ),
    otherVersion: trans.__(
      'This output was written by another version of the extension. Run the cell again.'
    ),
    job: number => trans.__('Job %1', String(number)),
    progress: (done, total, unit) =>
      total === null
        ? trans.__('%1 %2', done, unit)
        : trans.__('%1 of %2 %3', done, total, unit)
  };
}
