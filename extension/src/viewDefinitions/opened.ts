import type { Model } from './draw';

/** The event that closes the view below a picture. */
export const CLOSE_OPENED = 'close-opened';

/** The state of a view that a picture has opened below itself, as a trait of the picture's model. */
export type Opened = Readonly<Record<string, unknown>> & {
  readonly kind: string;
};

export function openedOf(picture: Model): Opened | null {
  return (picture.get('opened') as Opened | null | undefined) ?? null;
}

/** The model of a view that a picture has opened; its events pass through the model of the picture. */
export class OpenedModel implements Model {
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(
    private readonly picture: Model,
    private state: Opened
  ) {}

  get kind(): string {
    return this.state.kind;
  }

  get(name: string): unknown {
    return this.state[name] ?? null;
  }

  on(name: string, listener: () => void): void {
    this.listeners.set(
      name,
      (this.listeners.get(name) ?? new Set()).add(listener)
    );
  }

  off(name: string, listener: () => void): void {
    this.listeners.get(name)?.delete(listener);
  }

  send(event: unknown): void {
    this.picture.send({ kind: 'opened', event });
  }

  /** Take a new state, and notify the listeners of the traits that differ. */
  update(state: Opened): void {
    const before = this.state;
    this.state = state;
    for (const [name, listeners] of this.listeners) {
      const trait = name.replace('change:', '');
      // Each message is parsed into new objects, so compare by content: equal values need no redrawing.
      if (JSON.stringify(before[trait]) !== JSON.stringify(state[trait])) {
        listeners.forEach(each => each());
      }
    }
  }
}
