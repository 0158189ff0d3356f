/** An observable value: how models notify views of changes. */
export class Store<S> {
  constructor(private _state: S) {}

  get state(): S {
    return this._state;
  }

  set(state: S): void {
    if (state !== this._state) {
      this._state = state;
      [...this._listeners].forEach(listener => listener());
    }
  }

  update(change: Partial<S>): void {
    this.set({ ...this._state, ...change });
  }

  /** Arrow functions, so that they can be passed to React directly. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this._listeners.add(listener);
    return () => {
      this._listeners.delete(listener);
    };
  };

  readonly read = (): S => this._state;

  private readonly _listeners = new Set<() => void>();
}
