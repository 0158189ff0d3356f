const FIRST_WAIT_MILLIS = 2000;
const MAX_WAIT_MILLIS = 30000;

/** What is repeated. */
export interface Repeated {
  /** Whether there is something to repeat. */
  isNeeded(): boolean;
  repeat(): Promise<unknown>;
}

/**
 * Repeats what a service did not answer, after longer and longer pauses, until it answers. Nothing is repeated while
 * the user cannot see the page.
 */
export class Retries {
  constructor(private readonly _repeated: Repeated) {}

  /** Begin or stop waiting; called after something has failed or succeeded. */
  update(): void {
    if (!this._repeated.isNeeded()) {
      this._wait = FIRST_WAIT_MILLIS;
      this._stopWaiting();
    } else if (this._timer === null && !this._isRunning) {
      this._timer = window.setTimeout(() => void this._run(), this._wait);
    }
  }

  /** Stop for good. */
  stop(): void {
    this._isStopped = true;
    this._stopWaiting();
  }

  private async _run(): Promise<void> {
    this._timer = null;
    if (this._repeated.isNeeded() && !document.hidden) {
      this._wait = Math.min(this._wait * 2, MAX_WAIT_MILLIS);
      this._isRunning = true;
      await this._repeated.repeat();
      this._isRunning = false;
    }
    if (!this._isStopped) {
      this.update();
    }
  }

  private _stopWaiting(): void {
    window.clearTimeout(this._timer ?? undefined);
    this._timer = null;
  }

  private _wait = FIRST_WAIT_MILLIS;
  private _timer: number | null = null;
  private _isRunning = false;
  private _isStopped = false;
}
