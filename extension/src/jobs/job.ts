/** The MIME type under which the library describes a job of a cell. */
export const JOB_MIME = 'application/vnd.paimon-workbench.job+json';
const VERSION = 1;
const STATES = ['running', 'stopping', 'failed', 'canceled'] as const;

export type JobState = (typeof STATES)[number];

/** One step of a job. `done` and `total` are integers as digits; `total` is null while it is unknown. */
export interface JobStep {
  readonly label: string;
  readonly done: string;
  readonly total: string | null;
  readonly unit: string;
  readonly detail: string;
  readonly seconds: number;
  readonly finished: boolean;
}

/** A job that is running or that ended without a result. */
export interface Job {
  readonly id: string;
  /** The number of a background job; null for a job that its cell waits for. */
  readonly number: number | null;
  readonly state: JobState;
  readonly title: string;
  readonly steps: readonly JobStep[];
  readonly seconds: number;
  readonly message: string;
}

/** Return the job in an output, or null if this version cannot draw it: notebooks are untrusted input. */
export function parseJob(data: unknown): Job | null {
  const job = data as (Partial<Job> & { version?: unknown }) | null;
  if (
    job?.version !== VERSION ||
    typeof job.id !== 'string' ||
    !STATES.includes(job.state as JobState) ||
    !Array.isArray(job.steps)
  ) {
    return null;
  }
  return {
    id: job.id,
    number: typeof job.number === 'number' ? job.number : null,
    state: job.state as JobState,
    title: text(job.title),
    steps: job.steps.map(step => parseStep(step as Partial<JobStep> | null)),
    seconds: Number(job.seconds) || 0,
    message: text(job.message)
  };
}

/** Return whether the job was still running when the output was written. */
export function isOpen(job: Job): boolean {
  return job.state === 'running' || job.state === 'stopping';
}

/** Return the completed fraction of a step, 0 to 1, or null while it is unknown. */
export function fractionOf(step: JobStep): number | null {
  if (step.finished) {
    return 1;
  }
  const total = Number(step.total);
  return total > 0 ? Math.min(1, Number(step.done) / total) : null;
}

/** Return a duration such as `7 s`, `2 min 5 s` or `1 h 3 min`. */
export function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)];
  if (hours > 0) {
    return `${hours} h ${minutes % 60} min`;
  }
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function parseStep(step: Partial<JobStep> | null): JobStep {
  return {
    label: text(step?.label),
    done: digits(step?.done) ?? '0',
    total: digits(step?.total),
    unit: text(step?.unit),
    detail: text(step?.detail),
    seconds: Number(step?.seconds) || 0,
    finished: step?.finished === true
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function digits(value: unknown): string | null {
  return typeof value === 'string' && /^\d+$/.test(value) ? value : null;
}
